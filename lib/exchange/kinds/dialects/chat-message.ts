/** A message of a chat completion; the contract validates it once the whole request has been put together. */
export type ChatMessage = { role: string } & Record<string, unknown>
export type Part = { type: string } & Record<string, unknown>

/** Without fields that have no value, since some hosts refuse an unexpected null. */
export function defined<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Fields
}

/** A tool's message can only hold text; anything else follows it, behind a note that says whose it is. */
export function noteOfResult(callId: string): Part {
  return { type: 'text', text: `From the result of tool call ${callId}:` }
}

/** A piece of a tool call in a delta. */
export function calling(called: Record<string, unknown>): Record<string, unknown> {
  return { tool_calls: [{ function: called }] }
}
