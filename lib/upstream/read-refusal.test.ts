import { expect, test } from '@jest/globals'
import { inBandRefusal } from './read-refusal'

const host = { id: 'host', baseUrl: 'http://127.0.0.1:9/v1', setBy: 'UPSTREAM_BASE_URL' }
const refused = (apiKey: string | null, message: string) =>
  inBandRefusal({ code: 400, message }, { ...host, apiKey }).message

test.each(['x', 'none', 'EMPTY', 'ollama'])(
  'leaves %s in a message, which is no key, but what a host without keys is given',
  placeholder => {
    const message = `The maximum of ollama is exceeded by none, see ${placeholder} and EMPTY.`
    expect(refused(placeholder, message)).toBe(message)
  },
)

test('takes a key and the address of the host out of a message', () => {
  expect(refused('k3y-of-8', `k3y-of-8 is not known at ${host.baseUrl}`)).toBe(
    '[upstream] is not known at [upstream]',
  )
  expect(refused(null, 'Neither is 127.0.0.1:9.')).toBe('Neither is [upstream].')
})
