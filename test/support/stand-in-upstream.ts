import 'server-only'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { Database } from '@/lib/db/database'
import { ELEVENLABS } from '@/lib/speech/domain/elevenlabs-models'
import { type StandInElevenLabs, startStandInElevenLabs } from '@/test/stand-ins/elevenlabs'
import { type StandInUpstream, startStandInUpstream } from '@/test/stand-ins/upstream'
import type { Answer, Script } from '@/test/stand-ins/upstream-script'
import { type SiteOptions, standInSettings, startSite, type TestSite } from './exchange-site'

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

/** One stand-in for a group of tests, each of which begins with this script and no request. */
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
    setHost: host => running().setHost(host),
    bills: isMeant => running().bills(isMeant),
    forget: () => running().forget(),
    requestTo: (path, index) => running().requestTo(path, index),
    close: () => running().close(),
  }
}

export interface StandIns {
  readonly openAi: StandInUpstream
  readonly elevenLabs: StandInElevenLabs
}

/** Both stand-ins for a group of tests, each of which begins with well-behaved ones and no request. */
export function useStandIns(): StandIns {
  let started: StandIns | null = null
  const running = () => {
    if (!started) throw new Error('The stand-ins run only inside a test.')
    return started
  }
  beforeAll(async () => {
    started = { openAi: await startStandInUpstream(), elevenLabs: await startStandInElevenLabs() }
  })
  afterAll(async () => {
    await started?.openAi.close()
    await started?.elevenLabs.close()
  })
  beforeEach(() => {
    running().openAi.requests.length = 0
    running().openAi.setScript({})
    running().elevenLabs.setScript({})
  })
  return {
    get openAi() {
      return running().openAi
    },
    get elevenLabs() {
      return running().elevenLabs
    },
  }
}

export const IMAGES_PATH = '/images/generations'

/** One stand-in for a group of tests, and sites that request pictures from it. */
export function usePainter(script: Script, getDatabase: () => Database) {
  const upstream = useStandInUpstream(script)
  return {
    upstream,
    site: (options: Partial<SiteOptions> = {}) =>
      startSite({ database: getDatabase(), upstream, ...options }),
    callCount: () => upstream.requests.filter(({ path }) => path === IMAGES_PATH).length,
  }
}

/** A site that speaks and transcribes through both stand-ins. */
export function startSpeechSite({
  standIns,
  ...options
}: Omit<SiteOptions, 'upstream' | 'elevenLabs'> & { standIns: StandIns }): TestSite {
  const elevenLabs = {
    ...standInSettings(standIns.elevenLabs, ELEVENLABS),
    apiKey: standIns.elevenLabs.apiKey,
  }
  return startSite({ upstream: standIns.openAi, elevenLabs, ...options })
}
