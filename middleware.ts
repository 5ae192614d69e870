import { NextRequest, NextResponse } from 'next/server'
import { hasLocale } from 'next-intl'
import createIntlMiddleware from 'next-intl/middleware'
import { refreshSession } from '@/lib/auth/server/refresh-session'
import { ApiError } from '@/lib/http/api-error'
import { applyPagePolicy } from '@/lib/http/page-policy'
import { routing } from '@/lib/i18n/routing'

const resolveLocale = createIntlMiddleware(routing)

/**
 * As many as anybody sets in a browser. Matching thousands takes ten seconds, during which this process does nothing
 * else.
 */
const LANGUAGE_COUNT_MAX = 16

/** Nothing is posted to a page, yet Next would render it. */
const PAGE_METHODS = ['GET', 'HEAD']

/**
 * For pages only. The order matters: a refreshed session writes its cookies to the request first, so that the locale's
 * response forwards them; the policy is on the request before the page renders, because Next takes the nonce from
 * there. On the response the policy comes last, since its `no-store` applies to both.
 */
export default async function middleware(request: NextRequest): Promise<NextResponse> {
  // A person who is sent here by a form of another site or app should see a page.
  const isNavigation = request.headers.get('sec-fetch-mode') === 'navigate'
  if (!PAGE_METHODS.includes(request.method) && !isNavigation) {
    const allow = PAGE_METHODS.join(', ')
    return refuse(
      new ApiError('method_not_allowed', `This method is not allowed for a page. Allowed: ${allow}.`, {
        headers: { allow },
      }),
    )
  }
  if (isDecodableTwice(request.nextUrl.pathname)) return answerPage(request)
  if (!request.headers.get('accept')?.includes('text/html')) {
    return refuse(
      new ApiError('invalid_request', 'The path of the request is not valid percent-encoded UTF-8.'),
    )
  }
  const missing = missingPage(request)
  const response = await answerPage(missing)
  // For a path with a language the locale middleware does not rewrite, and Next cannot read the original address.
  if (response.headers.get('x-middleware-next')) {
    response.headers.delete('x-middleware-next')
    response.headers.set('x-middleware-rewrite', missing.url)
  }
  return response
}

async function answerPage(request: NextRequest): Promise<NextResponse> {
  if (isOwnEnglishLink(request)) request.headers.delete('accept-language')
  const languages = request.headers.get('accept-language')?.split(',', LANGUAGE_COUNT_MAX)
  if (languages) request.headers.set('accept-language', languages.join(','))
  const session = await refreshSession(request)
  const policy = applyPagePolicy(request)
  const response = session.applyTo(resolveLocale(request))
  policy.applyTo(response)
  return response
}

/**
 * Our own pages link to an address without a language only if they mean English. A browser that takes no cookie could
 * not be told so, and would be sent back to the language that it prefers.
 */
function isOwnEnglishLink({ nextUrl, headers, cookies }: NextRequest): boolean {
  const [, first = ''] = nextUrl.pathname.split('/')
  const isOwn = headers.get('sec-fetch-site') === 'same-origin'
  return isOwn && !hasLocale(routing.locales, first) && !cookies.has('NEXT_LOCALE')
}

/** Replaces an unreadable address by one that does not exist, in the same language. */
function missingPage({ nextUrl, headers }: NextRequest): NextRequest {
  const [, first = ''] = nextUrl.pathname.split('/')
  const url = new URL(hasLocale(routing.locales, first) ? `/${first}/-` : '/-', nextUrl)
  return new NextRequest(url, { headers })
}

/** Next decodes the id of a conversation twice, and answers 500 if it cannot. */
function isDecodableTwice(path: string): boolean {
  try {
    decodeURIComponent(decodeURIComponent(path))
    return true
  } catch {
    return false
  }
}

function refuse(error: ApiError): NextResponse {
  return NextResponse.json(error.toBody(), { status: error.status, headers: error.headers })
}

export const config = {
  runtime: 'nodejs',
  // Excludes the API (its first segments, as in lib/http/api-segments; Next needs a literal here), the build's files
  // and those of app/. Everything else is a page, if only "not found".
  matcher: [
    '/((?!(?:api|v1|accounts|credits|topup|keys|queries|mcp|auth|chat|responses|messages|completions|embeddings|images|audio|models|sandbox/upstream|_next/static|_vercel)(?:/|$)|(?:\\.well-known/jwks\\.json|favicon\\.ico|icon\\.svg|apple-icon\\.png|opengraph-image\\.png|icon-(?:192|512|maskable)\\.png|sw\\.js|diagram\\.html|diagram\\.js|wallet\\.html|wallet\\.js|robots\\.txt|sitemap\\.xml|manifest\\.webmanifest|openapi\\.json|llms\\.txt)$).*)',
  ],
}
