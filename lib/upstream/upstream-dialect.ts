import { isOpenRouter } from '@/lib/catalogue/domain/is-open-router'

/** Below a host's base URL, beside chat completions: Anthropic's Messages, and OpenAI's Responses. */
export type NativeEndpoint = '/messages' | '/responses'

/** What an upstream's host is known to want, and to tell, beyond the common protocol. */
export interface UpstreamDialect {
  /** The field that bounds output when the client named none. */
  outputLimitField: 'max_tokens' | 'max_completion_tokens'
  /** Tells the cost of a call when asked for it, and keeps a record of each. */
  reportsCost: boolean
  /** Routes to hosts of its own choice, at prices that the request can bound. */
  routes: boolean
  /** Reads files for models that cannot, in ways of which one has a price of its own. */
  parsesFiles: boolean
  /** Where it is asked for, nobody keeps anything of a request or learns from it. */
  promisesPrivacy: boolean
  /** Writes the vectors of embeddings in base64 where it is asked to: a quarter of what their digits take. */
  supportsBase64Vectors: boolean
  /** What is asked in these dialects it answers itself. */
  nativeEndpoints: readonly NativeEndpoint[]
}

const BOTH_DIALECTS = ['/messages', '/responses'] as const

/** Of the operator's few upstreams; each is asked for several times in every exchange. */
const dialects = new Map<string, UpstreamDialect>()

export function upstreamDialect(baseUrl: string): UpstreamDialect {
  return dialects.get(baseUrl) ?? dialectOf(baseUrl)
}

function dialectOf(baseUrl: string): UpstreamDialect {
  const { hostname } = new URL(baseUrl)
  // OpenAI's newer models refuse `max_tokens`; all of its models take the newer name.
  const isOpenAi = hostname === 'api.openai.com' || hostname.endsWith('.openai.azure.com')
  const openRouter = isOpenRouter(baseUrl)
  const dialect: UpstreamDialect = {
    outputLimitField: isOpenAi ? 'max_completion_tokens' : 'max_tokens',
    reportsCost: openRouter,
    routes: openRouter,
    parsesFiles: openRouter,
    promisesPrivacy: openRouter || isSandbox(baseUrl),
    supportsBase64Vectors: isOpenAi || openRouter,
    nativeEndpoints: openRouter || isSandbox(baseUrl) ? BOTH_DIALECTS : [],
  }
  dialects.set(baseUrl, dialect)
  return dialect
}

/** The practice models of this very process, which remember nothing. */
function isSandbox(baseUrl: string): boolean {
  const { hostname, pathname } = new URL(baseUrl)
  return hostname === '127.0.0.1' && pathname === '/sandbox/upstream/v1'
}
