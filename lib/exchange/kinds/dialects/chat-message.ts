/** What chat completions are asked with; their contract is read once a question has been put together. */
export type ChatMessage = { role: string } & Record<string, unknown>
export type Part = { type: string } & Record<string, unknown>

/** Without the fields that have no value: some hosts refuse a null that they do not expect. */
export function defined<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}

/** A piece of a call of a tool, as a delta tells it. */
export function calling(called: Record<string, unknown>): Record<string, unknown> {
  return { tool_calls: [{ function: called }] }
}
