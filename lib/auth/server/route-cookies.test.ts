import { expect, test } from '@jest/globals'
import { ApiError } from '@/lib/http/api-error'
import { handleApi } from '@/lib/http/handle-api'
import { routeCookies } from './route-cookies'

const request = (cookie: string) => new Request('http://site.test/auth/complete', { headers: { cookie } })

test('cookies of the request are read, except those that cannot be decoded', () => {
  const cookies = routeCookies(request('one=a%20b; two==x=; bad=%ff;nothing'))
  expect(cookies.getAll()).toEqual([
    { name: 'one', value: 'a b' },
    { name: 'two', value: '=x=' },
  ])
  expect(cookies.get('bad')).toBeUndefined()
})

test.each(['an answer', 'an error'])(
  'the last value set is sent with %s, and is read from then on',
  async how => {
    const answer = handleApi(async asked => {
      routeCookies(asked).set('one', 'first', { maxAge: 9 })
      routeCookies(asked).set('one', 'a b', {
        path: '/auth',
        maxAge: 0,
        httpOnly: true,
        secure: true,
        sameSite: 'lax',
      })
      routeCookies(asked).set('two', 'x', {})
      expect(routeCookies(asked).get('one')?.value).toBe('a b')
      if (how === 'an error') throw new ApiError('forbidden', 'No.')
      return new Response('yes', { headers: { 'set-cookie': 'own=1' } })
    })
    const { headers } = await answer(request('one=sent'))
    expect(headers.getSetCookie()).toEqual([
      ...(how === 'an answer' ? ['own=1'] : []),
      'one=a%20b; Path=/auth; Max-Age=0; Secure; HttpOnly; SameSite=lax',
      'two=x; Path=/',
    ])
  },
)
