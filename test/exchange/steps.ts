import type { Answer, Step } from '@/test/stand-ins/upstream-script'

/** About two thousand tokens, for which a dear model charges thirty cents. */
export const LONG_PROMPT =
  'Rain came late, ships were few, and hardly anybody noticed before the shelves were empty. '.repeat(120)

export const NO_RECORD: Answer = { status: 404, body: { error: { message: 'No such record' } } }
export const OVERLOADED = { error: { message: 'Overloaded', code: 503 } }
/** Where `leave` and `stop` wait for the upstream. */
export const GATE: Step = { type: 'gate', name: 'mid' }

/** Words of an answer, each in an event of its own. */
export const say = (count: number): Step[] => [{ type: 'text', text: ' word', times: count }]

/** A call of a tool, whose arguments come word by word. */
export function callTool(count: number): Step[] {
  const pieces = Array.from({ length: count }, (): Step => ({ type: 'tool_call', arguments: ' word' }))
  return [{ type: 'tool_call', id: 'call_1', name: 'note', arguments: '{"text":"' }, ...pieces]
}
