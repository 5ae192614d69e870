import 'server-only'
import { serverSettings } from '@/lib/config/server-settings'
import { ApiError } from '@/lib/http/api-error'
import { SANDBOX_UPSTREAM_PATH } from '@/lib/http/api-segments'
import { handleApi } from '@/lib/http/handle-api'
import { nameRoute } from '@/lib/http/observe-request'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { sandboxUpstreamToken } from './sandbox-upstream'

/** Wraps a route of the sandbox upstream: it answers only if the sandbox is on, and only to this process. */
export function handleSandbox(handler: (request: Request) => Promise<Response>) {
  return handleApi(async (request: Request) => {
    nameRoute(SANDBOX_UPSTREAM_PATH, 'debug')
    if (!serverSettings().sandbox.upstream) throw new ApiError('not_found', 'Not Found')
    requireToken(request)
    return handler(request)
  })
}

/** For any other path below it, which programs ask for, and which is no page. */
export const missingInSandbox = handleSandbox(async () => {
  throw new ApiError('not_found', 'The sandbox upstream has no such route.')
})

function requireToken(request: Request): void {
  if (hasBearerSecret(request, sandboxUpstreamToken())) return
  throw new ApiError('invalid_credential', 'The sandbox upstream answers only this server.')
}
