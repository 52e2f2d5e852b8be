// What python2.py does, with an official TypeScript client.
// What differs between the two generations of the SDK is passed in.
import { createInterface } from "node:readline";

export async function run(manner, parts) {
  await parts.client.connect(parts.transport);
  await (manner === "relay" ? relay : talk)(parts);
  await parts.client.close();
  process.exit(0);
}

async function relay({ client }) {
  await client.listTools(); // from now on the SDK checks each answer against its schema
  for await (const line of createInterface({ input: process.stdin })) {
    const call = JSON.parse(line);
    const answer = await client.callTool({ name: call.tool, arguments: call.arguments });
    const said = answer.structuredContent ?? JSON.parse(answer.content[0].text);
    console.log(JSON.stringify({ refused: !!answer.isError, answer: said }));
  }
}

async function talk({ client, transport, era, onUpdated, read }) {
  const updated = [];
  const heard = new Promise((resolve) => {
    onUpdated((uri) => {
      updated.push(uri);
      resolve();
    });
  });
  const seen = { version: read.version(client, transport) };
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
  const started = await client.callTool({ name: "start_workflow", arguments: { name: "from an SDK" } });
  const id = started.structuredContent.workflow_id;
  const uri = `workflow://${id}`;
  seen.templates = (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate);
  seen.listed = (await client.listResources()).resources.some((one) => one.uri === uri);
  seen.read = JSON.parse((await client.readResource({ uri })).contents[0].text).name;
  seen.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  seen.prompt = (await client.getPrompt({ name: "guide_show" })).messages[0].content.text.slice(0, 7);
  const ref = { type: "ref/resource", uri: "workflow://{workflow_id}" };
  const argument = { name: "workflow_id", value: id.slice(0, -1) };
  seen.completed = (await client.complete({ ref, argument })).completion.values.includes(id);
  const refused = await client.callTool({ name: "workflow_get", arguments: { workflow_id: "wf-nope" } });
  seen.refused = [refused.isError, JSON.parse(refused.content[0].text).code];
  await read.subscribe(client, uri);
  await client.callTool({ name: "complete_workflow", arguments: { workflow_id: id, summary: "done" } });
  await heard;
  seen.updated = updated.length === 1 && updated[0] === uri;
  console.log(JSON.stringify(seen));
}

export function headers() {
  return { Authorization: `Bearer ${process.env.DEEDLOG_TOKEN}` };
}
