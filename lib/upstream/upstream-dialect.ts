import { isOpenRouter } from '@/lib/catalogue/domain/is-open-router'
import { SANDBOX_UPSTREAM_PATH } from '@/lib/http/api-segments'

/** Endpoints beside chat completions, relative to a host's base URL: Anthropic's Messages, OpenAI's Responses. */
export type NativeEndpoint = '/messages' | '/responses'

/** How a known host differs from the common protocol. */
export interface UpstreamDialect {
  /** The field that limits the output if the client sent neither. */
  outputLimitField: 'max_tokens' | 'max_completion_tokens'
  /** Reports the cost of a call on request, and keeps a record of each. */
  reportsCost: boolean
  /** A router: passes requests on to hosts at prices that can be limited, and parses files that they cannot read. */
  routes: boolean
  /** Cannot be cut: see `writesOn`. */
  writesOn: boolean
  /**
   * Its output limit leaves out what a model thinks, which it limits by `thinking_budget`: to this many tokens, where it
   * is not asked for another limit. Null if thought counts towards the output limit.
   */
  thinkingBudgetUsual: number | null
  /** Can promise on request that nobody keeps a request or trains on it. */
  promisesPrivacy: boolean
  /** Can write embeddings in base64, which takes a quarter of their digits. */
  supportsBase64Vectors: boolean
  /** The dialects that it speaks itself. */
  nativeEndpoints: readonly NativeEndpoint[]
}

const BOTH_DIALECTS = ['/messages', '/responses'] as const

/** Cached, since every exchange asks several times for one of the operator's few upstreams. */
const dialects = new Map<string, UpstreamDialect>()

export function upstreamDialect(baseUrl: string): UpstreamDialect {
  return dialects.get(baseUrl) ?? dialectOf(baseUrl)
}

function dialectOf(baseUrl: string): UpstreamDialect {
  const { hostname } = new URL(baseUrl)
  // OpenAI's newer models refuse `max_tokens`; all of its models take the newer name. It has hosts in regions.
  const isOpenAi = /(^|\.)api\.openai\.com$|\.openai\.azure\.com$/.test(hostname)
  // The older name limits the answer alone there, and not what a model thinks before it.
  // https://docs.byteplus.com/en/docs/Byteplus_LAS/Chat_API
  const isByteDance = /\.(bytepluses|volces)\.com$/.test(hostname)
  const openRouter = isOpenRouter(baseUrl)
  const dialect: UpstreamDialect = {
    outputLimitField: isOpenAi || isByteDance ? 'max_completion_tokens' : 'max_tokens',
    reportsCost: openRouter,
    routes: openRouter,
    writesOn: domainWritesOn(hostname),
    // https://docs.siliconflow.com/en/userguide/capabilities/reasoning
    thinkingBudgetUsual: /(^|\.)siliconflow\.(cn|com)$/.test(hostname) ? 4_096 : null,
    promisesPrivacy: openRouter || isSandbox(baseUrl),
    supportsBase64Vectors: isOpenAi || openRouter,
    nativeEndpoints: openRouter || isSandbox(baseUrl) ? BOTH_DIALECTS : [],
  }
  dialects.set(baseUrl, dialect)
  return dialect
}

/**
 * Hosts that cannot be cut: whoever leaves, they write the answer to its end, and all of it is billed.
 * https://openrouter.ai/docs/api-reference/streaming#stream-cancellation
 */
const WRITES_ON = new RegExp(
  [
    '^bedrock|^aws|^amazon(?!aws)|^google|^groq|^modal|^minimax|^huggingface|^replicate|^perplexity|^mistral|^ai21',
    '^featherless|^lynn|^lambda|^reflection|^sambanova|^inflection|^zeroone|^01ai|^aionlabs|^(alibaba|aliyun)|^nebius',
    '^kluster|^targon|^inferencenet',
  ].join('|'),
)

/** Operators call machines of their own what they like: after the model that runs there, for example. */
const PRIVATE_DOMAIN = /^[^.]+$|\.(?:local|internal|lan)$/

function domainWritesOn(hostname: string): boolean {
  if (PRIVATE_DOMAIN.test(hostname)) return false
  const labels = hostname.split('.')
  // The name may be the domain itself, as that of inference.net is.
  return [...labels, labels.slice(-2).join('')].some(writesOn)
}

/** @param name of a host, as a router names it, a part of its domain, or the maker of the model that it serves */
export function writesOn(name: string): boolean {
  return WRITES_ON.test(name.toLowerCase().replace(/[^a-z\d]/g, ''))
}

/** The sandbox models of this very process, which keep nothing. */
function isSandbox(baseUrl: string): boolean {
  const { hostname, pathname } = new URL(baseUrl)
  return hostname === '127.0.0.1' && pathname === `${SANDBOX_UPSTREAM_PATH}/v1`
}
