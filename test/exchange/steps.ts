import type { Step } from '@/test/stand-ins/upstream-script'

/** Words of an answer, each in an event of its own. */
export const say = (count: number): Step[] => [{ type: 'text', text: ' word', times: count }]

/** A call of a tool, whose arguments come word by word. */
export function callTool(count: number): Step[] {
  const pieces = Array.from({ length: count }, (): Step => ({ type: 'tool_call', arguments: ' word' }))
  return [{ type: 'tool_call', id: 'call_1', name: 'note', arguments: '{"text":"' }, ...pieces]
}
