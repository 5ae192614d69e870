import 'server-only'
import { nextBoundary } from './event-boundary'

const ID_FIELD = 'id:'

/**
 * Splits complete events and gives each its number as the SSE `id`, from `firstNumber` on, so that a
 * browser can say which one it saw last. An upstream's own ids would speak over ours; they are taken out.
 */
export function numberEvents(bytes: Buffer, firstNumber: number): Buffer[] {
  const numbered: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = nextBoundary(bytes, start)
    const event = withoutId(bytes.subarray(start, end))
    numbered.push(Buffer.concat([Buffer.from(`id: ${firstNumber + numbered.length}\n`), event]))
    start = end
  }
  return numbered
}

function withoutId(event: Buffer): Buffer {
  if (!event.includes(ID_FIELD)) return event
  const lines = event.toString('utf8').split('\n')
  return Buffer.from(lines.filter(line => !line.startsWith(ID_FIELD)).join('\n'))
}
