// Usage: typescript1.mjs (talk|relay) legacy (URL | COMMAND ARGUMENT...)
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { headers, run } from "./talk.mjs";

const require = createRequire(process.env.NODE_MODULES + "/");
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { ResourceUpdatedNotificationSchema } = await load("types.js");

const [manner, era, ...target] = process.argv.slice(2);
const client = new Client({ name: "typescript-1", version: "1" });
const transport = target[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target[0]), { requestInit: { headers: headers() } })
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });

// The client hands its transport the version that the server's reply to initialize names.
let negotiated;
const keep = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  negotiated = version;
  keep?.(version);
};

await run(manner, {
  client,
  transport,
  era,
  onUpdated: (tell) =>
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => tell(note.params.uri)),
  read: {
    version: () => negotiated,
    subscribe: (_client, uri) => client.subscribeResource({ uri }),
  },
});
