import { json, shell, type ToolSetUp } from './set-up-input'

/** For those who write a program. */
export const LIBRARY_SET_UPS = [
  {
    id: 'javascript',
    name: 'OpenAI SDK (JavaScript)',
    text: ({ site, secret, modelId }) => `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${json(`${site}/v1`)},
  apiKey: ${json(secret)},
})

const answer = await client.chat.completions.create({
  model: ${json(modelId)},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`,
  },
  {
    id: 'python',
    name: 'OpenAI SDK (Python)',
    text: ({ site, secret, modelId }) => `from openai import OpenAI

client = OpenAI(
    base_url=${json(`${site}/v1`)},
    api_key=${json(secret)},
)

answer = client.chat.completions.create(
    model=${json(modelId)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    id: 'anthropic',
    name: 'Anthropic SDK (JavaScript)',
    text: ({ site, secret, modelId }) => `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: ${json(site)},
  apiKey: ${json(secret)},
})

const answer = await client.messages.create({
  model: ${json(modelId)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.content)`,
  },
  {
    id: 'ai-sdk',
    name: 'Vercel AI SDK',
    text: ({ site, secret, modelId }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

// With @ai-sdk/openai in its place, calls take providerOptions: { openai: { store: false } }
const prepaid = createOpenAICompatible({
  name: 'prepaid',
  baseURL: ${json(`${site}/v1`)},
  apiKey: ${json(secret)},
  includeUsage: true,
})

const { text, usage } = await generateText({ model: prepaid(${json(modelId)}), prompt: 'Hello' })
console.log(text, usage.raw.cost)`,
  },
  {
    id: 'langchain',
    name: 'LangChain (Python)',
    text: ({ site, secret, modelId }) => `from langchain_openai import ChatOpenAI

model = ChatOpenAI(
    model=${json(modelId)},
    base_url=${json(`${site}/v1`)},
    api_key=${json(secret)},
)
print(model.invoke("Hello").text)`,
  },
  {
    id: 'curl',
    name: 'curl',
    text: ({ site, secret, modelId }) => `curl ${shell(`${site}/v1/chat/completions`)} \\
  -H ${shell(`Authorization: Bearer ${secret}`)} \\
  -H ${shell('Content-Type: application/json')} \\
  -d ${shell(`{"model": ${json(modelId)}, "messages": [{"role": "user", "content": "Hello"}]}`)}`,
  },
] as const satisfies readonly ToolSetUp[]
