import { expect, test } from '@jest/globals'
import { sharedError } from './shared-error'

test('is recognised by another copy of its class, and by no other class', () => {
  const error = new (sharedError('OneError'))('It failed.')
  expect(error).toBeInstanceOf(sharedError('OneError'))
  expect(error).not.toBeInstanceOf(sharedError('OtherError'))
})
