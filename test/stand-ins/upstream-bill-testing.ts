import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { type StandInUpstream, startStandInUpstream } from './upstream'
import { standInModel } from './upstream-models'
import type { Answer, Step } from './upstream-script'

const MODELS = [
  standInModel({ id: 'plain', prompt: '0.001', completion: '0.01' }),
  standInModel({ id: 'free', prompt: '0', completion: '0' }),
  standInModel({
    id: 'full',
    prompt: '0.001',
    completion: '0.01',
    pricing: {
      image: '0.5',
      request: '0.25',
      web_search: '0.02',
      internal_reasoning: '0.03',
      input_cache_read: '0.0001',
      input_cache_write: '0.00125',
    },
  }),
  {
    ...standInModel({ id: 'long', prompt: '0.001', completion: '0.01' }),
    pricing: {
      prompt: '0.001',
      completion: '0.01',
      overrides: [{ min_prompt_tokens: 100, prompt: '0.002' }],
    },
  },
  standInModel({
    id: 'painter',
    prompt: '0',
    completion: '0',
    output: ['image'],
    pricing: { image: '0.04' },
  }),
  standInModel({
    id: 'gpt-image',
    prompt: '0',
    completion: '0',
    output: ['image'],
    pricing: { image_output: '0.00004' },
  }),
  standInModel({
    id: 'reader',
    prompt: '0',
    completion: '0',
    output: ['audio'],
    pricing: { input_character: '0.01' },
  }),
  standInModel({
    id: 'whisper',
    prompt: '0',
    completion: '0',
    input: ['audio'],
    pricing: { input_second: '0.1' },
  }),
  standInModel({
    id: 'transcribe',
    prompt: '0.01',
    completion: '0.1',
    input: ['audio'],
  }),
]
/** Five tokens: one, and four around every message. */
export const HI = [{ role: 'user', content: 'Hi' }]
export const THREE_WORDS: Step[] = [{ type: 'text', text: 'Ho ', times: 3 }]

/** An upstream with these models for a test file, and somebody who calls it directly. */
export function billedUpstream() {
  let started: StandInUpstream | null = null
  const running = (): StandInUpstream => {
    if (!started) throw new Error('The stand-in runs only inside a test.')
    return started
  }
  beforeAll(async () => {
    started = await startStandInUpstream({ models: MODELS })
  })
  afterAll(() => started?.close())
  beforeEach(() => {
    running().forget()
    running().setScript({ chat: { steps: THREE_WORDS } })
  })

  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${running().baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })
  const ask = (fields: object = {}, signal?: AbortSignal) =>
    post('/chat/completions', { model: 'plain', messages: HI, ...fields }, signal)

  return {
    running,
    post,
    ask,
    billedUsd: () => Number(running().bills().billedNano) / 1e9,
    async billOf(fields: object, answer: Answer = { steps: THREE_WORDS }): Promise<Record<string, number>> {
      running().setScript({ chat: answer })
      await (await ask(fields)).text()
      return itemsOf(running())
    },
    /** Sends a request, waits for the answer at a gate, leaves, and returns the answer's id if it had begun. */
    async leaveAt(gate: string, fields: object = {}): Promise<string | null> {
      const abort = new AbortController()
      const answer = ask(fields, abort.signal).catch(() => null)
      await running().gates.reached(gate)
      const id = answer.then(reply => reply?.headers.get('x-generation-id') ?? null)
      const seenId = await Promise.race([id, someTurns()])
      abort.abort()
      await (await running().requestTo('/chat/completions')).ended
      return seenId
    },
  }
}

/** How many units of each thing are billed. */
export function itemsOf({ bills }: Pick<StandInUpstream, 'bills'>): Record<string, number> {
  return Object.fromEntries(bills().bills.flatMap(bill => bill.items.map(({ what, count }) => [what, count])))
}

/** Long enough for headers that are already on their way, as shown by the gate after them. */
async function someTurns(): Promise<null> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve))
  return null
}
