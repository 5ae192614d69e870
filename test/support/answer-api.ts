import { countedResponse, type ObservedAnswer } from '@/lib/http/observe-request'
import { createDocumentCheck, type GivenAnswer } from './documented'
import { undocumented } from './undocumented'

/**
 * The API as mounted by a self-hosted server. Each answer is compared with the OpenAPI document when its body has been
 * read, because only one reader can read it.
 *
 * Loaded at the first call, so that a test can replace the services before.
 */
export async function answerObserved(request: Request): Promise<ObservedAnswer> {
  const { answerApi: answer, CONTRACTS } = await import('@/lib/api/application')
  const { pathname } = new URL(request.url)
  const observed = await answer(request)
  const { response } = observed
  check ??= await loadCheck(CONTRACTS)
  const given = {
    method: request.method,
    pathname: withVersion(pathname),
    status: response.status,
    contentType: response.headers.get('content-type'),
  }
  // A pushed body has a single reader, so it cannot be examined here as well.
  if (!given.contentType?.startsWith('application/json') || !response.body) {
    note({ ...given, text: null })
    return observed
  }
  const pieces: Uint8Array[] = []
  const seen = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      pieces.push(piece)
      controller.enqueue(piece)
    },
    flush() {
      note({ ...given, text: Buffer.concat(pieces).toString() })
    },
  })
  return { ...observed, response: new Response(response.body.pipeThrough(seen), response) }
}

/** The same as mounted by Next. */
export async function answerApi(request: Request): Promise<Response> {
  return countedResponse(request, await answerObserved(request))
}

let check: ReturnType<typeof createDocumentCheck> | undefined

async function loadCheck(contracts: typeof import('@/lib/api/application').CONTRACTS) {
  const { openApiDocument } = await import('@/lib/api/openapi')
  return createDocumentCheck(openApiDocument(contracts, { appName: 'Test', site: 'https://site.test' }))
}

function note(answer: GivenAnswer): void {
  const fault = check?.(answer)
  if (fault) undocumented.push(fault)
}

/** What only OpenRouter has at these addresses keeps its path. */
const OPENROUTER_ALIAS = /^\/api\/v1\/(?!(key|auth\/key|credits|generation|models\/count)$)/

function withVersion(pathname: string): string {
  return OPENROUTER_ALIAS.test(pathname) ? pathname.slice('/api'.length) : pathname
}
