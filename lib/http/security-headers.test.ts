import { describe, expect, test } from '@jest/globals'
import { policyOrigins } from './page-policy'
import { contentSecurityPolicy } from './security-headers'

const NONE = { frame: [], connect: [] }

function directives(policy: string): Map<string, string[]> {
  return new Map(
    policy.split('; ').map(directive => {
      const [name = '', ...values] = directive.split(' ')
      return [name, values]
    }),
  )
}

function policyFor(overrides: Partial<Parameters<typeof contentSecurityPolicy>[0]> = {}) {
  return directives(
    contentSecurityPolicy({ nonce: 'abc', secure: false, development: false, origins: NONE, ...overrides }),
  )
}

describe("a page's content security policy", () => {
  test('allows only scripts with the nonce, and no eval', () => {
    expect(policyFor().get('script-src')).toEqual(["'nonce-abc'", "'strict-dynamic'"])
  })

  test('has no unsafe source in production', () => {
    expect(
      [...policyFor({ secure: true }).values()].flat().filter(value => value.includes('unsafe')),
    ).toEqual([])
  })

  test.each([
    ['default-src', ["'self'"]],
    ['style-src', ["'self'", "'nonce-abc'"]],
    ['img-src', ["'self'", 'data:', 'blob:']],
    ['media-src', ["'self'", 'data:', 'blob:']],
    ['connect-src', ["'self'"]],
    ['frame-src', ["'self'"]],
    ['base-uri', ["'none'"]],
    ['object-src', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
    ['form-action', ["'self'"]],
  ])('has %s with %j by default', (name, values) => {
    expect(policyFor().get(name)).toEqual(values)
  })

  test('upgrades to https only on a site with https', () => {
    expect(policyFor().has('upgrade-insecure-requests')).toBe(false)
    expect(policyFor({ secure: true }).has('upgrade-insecure-requests')).toBe(true)
  })

  test('contains the configured origins, each only in its directive', () => {
    const policy = policyFor({
      origins: { frame: ['https://help.example'], connect: ['https://auth.example'] },
    })
    expect(policy.get('frame-src')).toEqual(["'self'", 'https://help.example'])
    expect(policy.get('connect-src')).toEqual(["'self'", 'https://auth.example'])
  })
})

describe('the origins from the settings', () => {
  const nothing = { supportWidget: null, supabase: null, sentryDsn: null, analyticsFrameUrl: null }

  test('are none by default', () => {
    expect(policyOrigins(nothing)).toEqual(NONE)
  })

  test('exclude path, query and the key of a DSN', () => {
    const origins = policyOrigins({
      supportWidget: { SUPPORT_WIDGET_URL: 'https://help.example/base', SUPPORT_WIDGET_TOKEN: 'token' },
      supabase: {
        url: 'https://project.auth.example/',
        publicKey: 'key',
        googleClientId: undefined,
        captchaFrameUrl: 'https://person.example/check?site=1',
        providerParameters: undefined,
      },
      sentryDsn: 'https://secret@errors.example:8443/42',
      analyticsFrameUrl: 'https://count.example/tag?id=1',
    })
    expect(origins).toEqual({
      frame: ['https://help.example', 'https://person.example', 'https://count.example'],
      connect: ['https://project.auth.example', 'https://errors.example:8443'],
    })
  })
})
