// What the AI SDK does to show that it works, as client_scripts.py does: node client_scripts.mjs URL PICTURE.png
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Packages lie in the folder that it is started in.
const find = createRequire(pathToFileURL(`${process.cwd()}/package.json`));
const { generateText, streamText, Output, tool, stepCountIs } = find("ai");
const { createOpenAI } = find("@ai-sdk/openai");
const { createOpenAICompatible } = find("@ai-sdk/openai-compatible");
const { createAnthropic } = find("@ai-sdk/anthropic");
const { z } = find("zod");

const [base, file] = process.argv.slice(2);
const HOW = "How do I attach a picture?";
const openai = createOpenAI({ baseURL: base, apiKey: "a key" });
const compatible = createOpenAICompatible({ name: "hearth", baseURL: base, apiKey: "a key", supportsStructuredOutputs: true });
const anthropic = createAnthropic({ baseURL: base, apiKey: "a key" });
const shape = z.object({ name: z.enum(["circle", "square"]) });
const weather = tool({
  description: "Tells the weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => ({ t: 21 }),
});
const shown = [{ role: "user", content: [{ type: "text", text: "What colour is the shape?" }, { type: "image", image: readFileSync(file) }] }];

function steps(model) {
  return {
    plain: async () => (await generateText({ model, prompt: HOW })).text.includes("picture"),
    stream: async () => {
      const pieces = [];
      for await (const piece of streamText({ model, prompt: HOW }).textStream) pieces.push(piece);
      return pieces.length > 2 && pieces.join("").includes("picture");
    },
    tools: async () => {
      const told = await generateText({ model, prompt: "What is the weather in Paris?", tools: { get_weather: weather }, stopWhen: stepCountIs(3) });
      return told.text.includes("21");
    },
    schema: async () => {
      const told = await generateText({ model, prompt: "Name a shape.", output: Output.object({ schema: shape }) });
      return ["circle", "square"].includes(told.output.name);
    },
    picture: async () => (await generateText({ model, messages: shown })).text.toLowerCase().includes("red"),
  };
}

const models = {
  responses: openai("gpt-4o-mini"),
  chat: openai.chat("gpt-4o-mini"),
  compatible: compatible("gpt-4o-mini"),
  anthropic: anthropic("claude-any"),
};
for (const [name, model] of Object.entries(models)) {
  for (const [step, check] of Object.entries(steps(model))) {
    let told;
    try {
      told = (await check()) ? "ok" : "another answer than expected";
    } catch (error) {
      told = String(error).slice(0, 300);
    }
    console.log(`STEP ${name}.${step} ${told}`);
  }
}
