import { request as askHttp, createServer } from 'node:http'
import { listen } from '../support/listen'

/** In front of a stand-in: forwards everything until it is told to redirect. */
export interface RedirectingProxy {
  /** With the path of the target's address. */
  url: string
  /** Null forwards again. */
  redirectTo(destination: { status: number; location: string } | null): void
  /** What was redirected so far: `GET /v1/models`. */
  redirected: string[]
  stop(): Promise<void>
}

export async function startRedirectingProxy(target: string): Promise<RedirectingProxy> {
  const { origin, pathname } = new URL(target)
  const redirected: string[] = []
  let destination: { status: number; location: string } | null = null
  const server = createServer((request, response) => {
    if (destination) {
      redirected.push(`${request.method} ${request.url}`)
      request.resume()
      response.writeHead(destination.status, { location: destination.location }).end()
      return
    }
    const { method, headers } = request
    const passed = askHttp(`${origin}${request.url}`, { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  const { port, stop } = await listen(server)
  return {
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    redirectTo(next) {
      destination = next
    },
    redirected,
    stop,
  }
}
