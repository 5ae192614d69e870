export const SNIPPET_LANGUAGES = ['javascript', 'python', 'curl'] as const
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number]

interface SnippetInput {
  /** Ends in `/v1`, as OpenAI's libraries want it. */
  baseUrl: string
  secret: string
  modelId: string
}

/** A first call, ready to run: OpenAI's own libraries with another address and this key. */
export function snippet(language: SnippetLanguage, { baseUrl, secret, modelId }: SnippetInput): string {
  const [url, key, model] = [baseUrl, secret, modelId].map(text => JSON.stringify(text))
  switch (language) {
    case 'javascript':
      return `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${url},
  apiKey: ${key},
})

const answer = await client.chat.completions.create({
  model: ${model},
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`
    case 'python':
      return `from openai import OpenAI

client = OpenAI(
    base_url=${url},
    api_key=${key},
)

answer = client.chat.completions.create(
    model=${model},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`
    case 'curl':
      return `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": ${model}, "messages": [{"role": "user", "content": "Hello"}]}'`
  }
}
