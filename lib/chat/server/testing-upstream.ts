import 'server-only'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import type { Answer, Script } from '@/test/stand-ins/upstream-script'

/** An upstream that keeps no record of what it generated. */
export const NO_RECORD: Answer = { status: 404, body: {} }

/** An answer that waits in the middle, at a gate. */
export const HALF_AN_ANSWER: Script = {
  chat: {
    steps: [
      { type: 'text', text: 'Hi ' },
      { type: 'text', text: 'Ho ' },
      { type: 'gate', name: 'mid' },
    ],
    promptTokens: 10,
  },
  generation: NO_RECORD,
}

/** One stand-in for a group of tests; each of them begins with this script and no request. */
export function useStandInUpstream(script: Script): StandInUpstream {
  let started: StandInUpstream | null = null
  const running = () => {
    if (!started) throw new Error('The stand-in runs only inside a test.')
    return started
  }
  beforeAll(async () => {
    started = await startStandInUpstream()
  })
  afterAll(() => started?.close())
  beforeEach(() => {
    running().requests.length = 0
    running().setScript(script)
  })
  return {
    get baseUrl() {
      return running().baseUrl
    },
    get requests() {
      return running().requests
    },
    get gates() {
      return running().gates
    },
    setScript: next => running().setScript(next),
    setModels: models => running().setModels(models),
    requestTo: (path, index) => running().requestTo(path, index),
    close: () => running().close(),
  }
}
