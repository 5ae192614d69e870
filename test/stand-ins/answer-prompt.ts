import { z } from 'zod'
import type { Answer, RecordedRequest, Step } from './upstream-script'

const body = z.object({ messages: z.array(z.object({ role: z.string(), content: z.unknown() })) })
const textPart = z.object({ type: z.literal('text'), text: z.string() })

/** Milliseconds between the words of an ordinary and of a slow answer. */
const PACE_MS = 5
const SLOW_PACE_MS = 150
const LONG_PARAGRAPH_COUNT = 200

const MARKDOWN = `# A heading

A paragraph with **bold**, *italic*, \`code\` and a [link](https://example.com/).

| coin | value |
|------|------:|
| penny | $0.01 |
| dime | $0.10 |

1. first
2. second
   - nested

> A quotation.
`

const CODE = `Here is a function:

\`\`\`ts
export function add(left: number, right: number): number {
  return left + right
}
\`\`\`
`

/** What the browser tests' upstream answers until a test has scripted it; the prompt decides. */
export function answerPrompt(request: RecordedRequest): Answer {
  const prompt = lastPrompt(request.body)
  const asks = (word: string) => prompt.toLowerCase().includes(word)
  if (asks('error before')) return { status: 503, body: { error: { message: 'Overloaded', code: 503 } } }
  if (asks('error after')) return { steps: [...say('This is the beginning'), ERROR] }
  if (asks('hang up')) return { steps: [...say('This is the beginning'), { type: 'destroy' }] }
  if (asks('stall')) return { steps: [...say('This is the beginning'), { type: 'hang' }] }
  if (asks('markdown')) return { steps: say(MARKDOWN) }
  if (asks('code')) return { steps: say(CODE) }
  if (asks('long')) return { steps: say(LONG) }
  if (asks('slow')) return { steps: say(`This answer takes its time. ${LONG}`, SLOW_PACE_MS) }
  if (asks('think'))
    return { steps: [...think('First I weigh the question.'), ...say('I thought about it.')] }
  return { steps: say(`You said: ${prompt}`) }
}

const ERROR: Step = { type: 'error', error: { message: 'Provider disconnected', code: 502 } }

const LONG = Array.from(
  { length: LONG_PARAGRAPH_COUNT },
  (_, index) => `Paragraph ${index + 1} says a little more than the one before it, and then it stops.\n\n`,
).join('')

/** One word, one token, one delta. */
function say(text: string, paceMs = PACE_MS): Step[] {
  return (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []).flatMap((word): Step[] => [
    { type: 'text', text: word },
    { type: 'wait', milliseconds: paceMs },
  ])
}

function think(text: string): Step[] {
  return (text.match(/\s*\S+/g) ?? []).map(word => ({ type: 'reasoning', text: word }))
}

function lastPrompt(value: unknown): string {
  const parsed = body.safeParse(value)
  const content = parsed.data?.messages.findLast(message => message.role === 'user')?.content
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap(part => textPart.safeParse(part).data?.text ?? []).join(' ')
}
