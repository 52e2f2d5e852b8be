// Usage: typescript2.mjs (talk|relay) (legacy|modern) (URL | COMMAND ARGUMENT...)
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { headers, run } from "./talk.mjs";

const require = createRequire(process.env.NODE_MODULES + "/");
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/client${name}`)));
const { Client, StreamableHTTPClientTransport } = await load("");
const { StdioClientTransport } = await load("/stdio");

const [manner, era, ...target] = process.argv.slice(2);
const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
const client = new Client({ name: "typescript-2", version: "1" }, { versionNegotiation: { mode } });
const transport = target[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target[0]), { requestInit: { headers: headers() } })
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });

await run(manner, {
  client,
  transport,
  era,
  onUpdated: (tell) =>
    client.setNotificationHandler("notifications/resources/updated", (note) => tell(note.params.uri)),
  read: {
    version: () => client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
    subscribe: (_client, uri) =>
      era === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }),
  },
});
