import { wave } from '@/test/stand-ins/sounds'
import type { Answer, RecordedRequest, RouteName, Step, UsageScript } from '@/test/stand-ins/upstream-script'
import { type Caller, makeResumeKey } from './caller'
import type { HostKind } from './site'

/** One call of a random hour: who requests what, how the upstream behaves, and what the caller does meanwhile. */
export interface Episode {
  name: string
  route: Exclude<RouteName, 'models' | 'generation'>
  /** The path of a chat in one of its dialects, under which it is also found again. */
  path?: string
  answer: Answer
  behaviour: Behaviour
  ask(caller: Caller, options: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response>
}

export type Behaviour = 'reads' | 'leaves' | 'stops' | 'resumes' | 'asks twice'

/** Uniformly distributed whole numbers from 0, reproducible by a seed. */
export type Draw = (limit: number) => number

const USAGES: readonly UsageScript[] = [
  { mode: 'absent' },
  { mode: 'cumulative' },
  { mode: 'value', value: null },
  { mode: 'value', value: { prompt_tokens: 0, completion_tokens: 0 } },
  { mode: 'value', value: { prompt_tokens: -5, completion_tokens: -5, cost: -1 } },
  { mode: 'value', value: { prompt_tokens: 390_000, completion_tokens: 390_000 } },
  { mode: 'value', value: { prompt_tokens: 1e308, completion_tokens: 'many', cost: 'NaN' } },
  { mode: 'values', values: [{}, { prompt_tokens: 1.5 }] },
]
const FAILURES: readonly Answer[] = [
  { status: 503, body: { error: { message: 'Overloaded', code: 503 } } },
  { status: 400, body: { error: { message: 'Bad request', code: 400 } } },
  { steps: [{ type: 'error', error: { message: 'Overloaded', code: 502 } }] },
  { beforeHeaders: [{ type: 'destroy' }] },
  { steps: [{ type: 'comment', text: 'WORKING' }, { type: 'end' }] },
]
const BREAKS: readonly Step[] = [
  { type: 'error', error: { message: 'Provider disconnected', code: 502 } },
  { type: 'destroy' },
  { type: 'end' },
  { type: 'hang' },
]
const MODELS = ['standin/small', 'standin/large', 'standin/thinker', 'standin/dear', 'standin/free'] as const

/** The highest price of a token, to compute how far an estimate may be off. */
export const TOKEN_NANO_MAX: Readonly<Record<string, bigint>> = {
  'standin/small': 2_000n,
  'standin/large': 30_000n,
  'standin/thinker': 10_000n,
  'standin/dear': 600_000n,
  'standin/embedder': 20n,
}

export function drawEpisode(name: string, host: HostKind, draw: Draw): Episode {
  const kind = draw(11)
  if (kind < 7) return drawChat(name, host, draw)
  const answer = drawOther(name, draw)
  const behaviour = pickOne<Behaviour>(draw, ['reads', 'reads', 'leaves', 'asks twice'])
  if (kind === 7) {
    const fields = pickOne(draw, [
      { n: 1 + draw(3) },
      { model: 'standin/gpt-image', size: '1024x1024', quality: pickOne(draw, ['low', 'medium', 'high']) },
      { model: 'standin/gpt-image', n: 2 },
    ])
    const body = { prompt: `A coin, ${name}`, ...fields }
    return { name, route: 'images', answer, behaviour, ask: (caller, options) => caller.draw(body, options) }
  }
  if (kind === 8) {
    const input = `${name} ${'Rain came late. '.repeat(1 + draw(40))}`
    return {
      name,
      route: 'speech',
      answer,
      behaviour,
      ask: (caller, options) => caller.speak({ input }, options),
    }
  }
  if (kind === 9) {
    const input = [name, ...Array.from({ length: draw(20) }, () => pickOne(draw, PROMPTS))]
    const usage = pickOne<Answer>(draw, [{}, { usage: pickOne(draw, USAGES) }])
    return {
      name,
      route: 'embeddings',
      answer: { ...answer, ...usage },
      behaviour,
      ask: (caller, options) => caller.embed({ input }, options),
    }
  }
  const { bytes } = wave(1 + draw(40))
  const told = pickOne<Answer>(draw, [{}, { usage: pickOne(draw, USAGES) }])
  const fields = { prompt: name, model: pickOne(draw, ['standin/whisper', 'standin/transcribe']) }
  return {
    name,
    route: 'transcriptions',
    answer: { ...answer, ...told },
    behaviour,
    ask: (caller, options) => caller.transcribe(bytes, fields, options),
  }
}

function drawChat(name: string, host: HostKind, draw: Draw): Episode {
  const stream = draw(5) > 0
  const behaviour = pickOne<Behaviour>(draw, [
    'reads',
    'reads',
    'leaves',
    'leaves',
    'stops',
    'resumes',
    'asks twice',
  ])
  const content = `${name} ${pickOne(draw, PROMPTS).repeat(1 + draw(30))}`
  const [model, outputTokenCountMax] = [pickOne(draw, MODELS), 100 + draw(400)]
  const messages = [{ role: 'user', content }]
  const more = {
    ...(draw(4) === 0 && { models: [pickOne(draw, MODELS)] }),
    ...(draw(6) === 0 && { n: 2 }),
  }
  const [path, body] = pickOne<[string, object]>(draw, [
    ['/v1/chat/completions', { messages, max_tokens: outputTokenCountMax, ...more }],
    ['/v1/completions', { prompt: content, max_tokens: outputTokenCountMax, ...(draw(6) === 0 && { n: 2 }) }],
    ['/v1/messages', { messages, max_tokens: outputTokenCountMax }],
    ['/v1/responses', { input: messages, max_output_tokens: outputTokenCountMax }],
  ])
  const answer = drawChatAnswer({ name, host, model, stream, behaviour }, draw)
  const ask: Episode['ask'] = (caller, options) => caller.post(path, { model, stream, ...body }, options)
  return { name, route: 'chat', path, answer, behaviour, ask }
}

const PROMPTS = [
  'Rain came late, ships were few, and hardly anybody noticed before the shelves were empty. ',
  '{"id":12,"tags":["a","b"],"at":"2026-11-20T10:11:12Z"} ',
  'Die Wagen fahren heute nicht, weil der Fluss über die Ufer getreten ist. ',
]

/** Only behaviour that can be noticed: what the host reports is true, or impossible. */
function drawChatAnswer(
  {
    name,
    host,
    model,
    stream,
    behaviour,
  }: { name: string; host: HostKind; model: string; stream: boolean; behaviour: Behaviour },
  draw: Draw,
): Answer {
  const words: Step[] = [{ type: 'text', text: ' word', times: 1 + draw(120) }]
  const more: Step[] = [{ type: 'text', text: ' word', times: 1 + draw(120) }]
  const gate: Step[] = behaviour === 'reads' ? [] : [{ type: 'gate', name }]
  // How much a host had written of a whole answer that it never sent is known to that host only.
  const breaks = stream ? BREAKS : BREAKS.slice(0, 3)
  const isOpenRouter = host === 'openrouter'
  switch (draw(9)) {
    case 0:
      return pickOne(draw, FAILURES)
    case 1:
      return { beforeHeaders: [{ type: 'gate', name }], steps: words }
    case 2:
      return { steps: [...words, ...gate, pickOne(draw, breaks)] }
    case 3: {
      // If a model is not known to think and its reader goes, only the host knows how much it thought.
      const isNoticed = model === 'standin/thinker' || behaviour === 'reads'
      return { steps: [{ type: 'hidden', tokens: isNoticed ? draw(200) : 0 }, ...gate, ...words] }
    }
    case 4:
      return { steps: [{ type: 'part', text: ' word', times: 20 }, ...gate, ...more] }
    case 5:
      return {
        steps: [{ type: 'reasoning', text: ' word' }, ...gate, ...words],
        usage: pickOne(draw, USAGES),
      }
    case 6:
      return { steps: [...words, ...gate, ...more], usage: pickOne(draw, USAGES) }
    case 7:
      return {
        steps: [...gate, ...words],
        byok: isOpenRouter,
        reportedModel: pickOne(draw, [null, 'nobody/knows']),
      }
    default:
      return { steps: [...words, ...gate, ...more] }
  }
}

/** For everything other than chats. */
function drawOther(name: string, draw: Draw): Answer {
  const before: Answer['beforeHeaders'] = [{ type: 'gate', name }]
  return pickOne<Answer>(draw, [
    {},
    {},
    { beforeHeaders: before },
    pickOne(draw, FAILURES.slice(0, 2)),
    { beforeHeaders: [{ type: 'hang' }] },
  ])
}

export function newHeaders(behaviour: Behaviour): Record<string, string> {
  if (behaviour === 'stops' || behaviour === 'resumes') return { 'x-resume-key': makeResumeKey() }
  return behaviour === 'asks twice' ? { 'idempotency-key': makeResumeKey() } : {}
}

/** The name of the episode that a request belongs to is in each of its texts. */
export function nameOf({ rawBody }: RecordedRequest): string {
  return /episode-[\d.]+\d/.exec(rawBody.toString('latin1'))?.[0] ?? ''
}

export function pickOne<Value>(draw: Draw, values: readonly Value[]): Value {
  const value = values[draw(values.length)]
  if (value === undefined) throw new Error('There is nothing to pick from.')
  return value
}
