import { z } from 'zod'
import {
  type Environment,
  headerSecret,
  readGroup,
  readJsonSetting,
  readOne,
  readVariable,
  baseUrl as upstreamUrl,
} from './read-group'
import { SettingsError } from './settings-error'

/** An OpenAI-compatible host; a model is served by the first host that has it. */
export interface UpstreamSettings {
  id: string
  /** Up to and including the version segment, such as `https://openrouter.ai/api/v1`. */
  baseUrl: string
  apiKey: string | null
  /** The variable that configured it, for messages. */
  setBy: string
}

const OPENROUTER_BASE_URL = 'https://openrouter.ai/api/v1'
const UPSTREAM_COUNT_MAX = 20

const upstreamList = z
  .array(
    // Strict: a misspelt api_key would be left out, and the host asked without a key.
    z.strictObject({
      id: z.string().min(1).max(64),
      base_url: upstreamUrl,
      api_key: headerSecret.optional(),
    }),
  )
  .min(1)
  .max(UPSTREAM_COUNT_MAX)

/** Speech has an upstream of its own, which costs the operator money like any other. */
const ELEVENLABS_ID = 'elevenlabs'

export function readElevenLabs(environment: Environment): UpstreamSettings | null {
  const group = readGroup(environment, {
    name: 'ElevenLabs',
    shape: { ELEVENLABS_API_KEY: headerSecret, ELEVENLABS_BASE_URL: upstreamUrl.optional() },
    turnedOnBy: ['ELEVENLABS_API_KEY'],
  })
  return (
    group && {
      id: ELEVENLABS_ID,
      baseUrl: group.ELEVENLABS_BASE_URL ?? 'https://api.elevenlabs.io',
      apiKey: group.ELEVENLABS_API_KEY,
      setBy: group.ELEVENLABS_BASE_URL === undefined ? 'ELEVENLABS_API_KEY' : 'ELEVENLABS_BASE_URL',
    }
  )
}

/**
 * @throws SettingsError also for two upstreams with the same id: one would be asked for the other's models, at its own
 * price
 */
export function readUpstreamSettings(environment: Environment): UpstreamSettings[] {
  const upstreams = [...readSingleUpstream(environment), ...readFurtherUpstreams(environment)]
  const ids = new Set([ELEVENLABS_ID])
  for (const { id, setBy } of upstreams) {
    if (ids.has(id)) throw new SettingsError(`${setBy} is not valid: two hosts have the id "${id}".`)
    ids.add(id)
  }
  return upstreams
}

function readSingleUpstream(environment: Environment): UpstreamSettings[] {
  const baseUrl = readVariable(environment, 'UPSTREAM_BASE_URL')
  const apiKey = readOne(environment, 'UPSTREAM_API_KEY', headerSecret)
  const openRouterKey = readOne(environment, 'OPENROUTER_API_KEY', headerSecret)
  if (baseUrl === undefined) {
    if (apiKey)
      throw new SettingsError(
        'UPSTREAM_BASE_URL is missing, but UPSTREAM_API_KEY is set. Set both, or neither.',
      )
    return openRouterKey
      ? [
          {
            id: 'openrouter',
            baseUrl: OPENROUTER_BASE_URL,
            apiKey: openRouterKey,
            setBy: 'OPENROUTER_API_KEY',
          },
        ]
      : []
  }
  const parsed = upstreamUrl.safeParse(baseUrl)
  if (!parsed.success) {
    throw new SettingsError(`UPSTREAM_BASE_URL is not valid: ${parsed.error.issues[0]?.message}.`)
  }
  return [
    { id: 'upstream', baseUrl: parsed.data, apiKey: apiKey ?? openRouterKey, setBy: 'UPSTREAM_BASE_URL' },
  ]
}

function readFurtherUpstreams(environment: Environment): UpstreamSettings[] {
  const given = readJsonSetting(environment, 'UPSTREAMS_FILE', 'UPSTREAMS_TEXT')
  if (!given) return []
  const { setBy, text } = given
  const parsed = upstreamList.safeParse(JSON.parse(text))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new SettingsError(
      `${setBy} is not valid at ${issue?.path.join('.') || 'the top level'}: ${issue?.message}. Expected [{"id", "base_url", "api_key"}].`,
    )
  }
  return parsed.data.map(({ id, base_url, api_key }) => ({
    id,
    baseUrl: base_url,
    apiKey: api_key ?? null,
    setBy,
  }))
}
