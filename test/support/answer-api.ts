import { createDocumentCheck, type GivenAnswer } from './documented'
import { undocumented } from './undocumented'

const CREDIT_PATH = /^\/api\/payments\/account\/[^/]*\/credit$/

/**
 * The API as Next mounts it, with the handler that has a file of its own. Each answer is compared with the
 * OpenAPI document when its body ends: it is read by nobody but its reader.
 *
 * Loaded when it is first asked, so that a test can put something in the place of the services before.
 */
export async function answerApi(request: Request): Promise<Response> {
  const { api, CONTRACTS } = await import('@/lib/api/application')
  const { pathname } = new URL(request.url)
  const answer = CREDIT_PATH.test(pathname)
    ? (await import('@/app/api/payments/account/[creditId]/credit/route')).GET
    : api
  const response = await answer(request)
  check ??= await loadCheck(CONTRACTS)
  const given = {
    method: request.method,
    pathname: withVersion(pathname),
    status: response.status,
    contentType: response.headers.get('content-type'),
  }
  if (!response.body || !given.contentType?.startsWith('application/json')) {
    note({ ...given, text: null })
    return response
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
  return new Response(response.body.pipeThrough(seen), response)
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

/** Bare aliases are rewritten on their way. */
function withVersion(pathname: string): string {
  return /^\/(chat|models|images|audio)(\/|$)/.test(pathname) ? `/v1${pathname}` : pathname
}
