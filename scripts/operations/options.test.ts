import os from 'node:os'
import { afterEach, expect, jest, test } from '@jest/globals'
import { operatorName } from './options'

const operatorBefore = process.env.OPERATOR
afterEach(() => {
  jest.restoreAllMocks()
  delete process.env.OPERATOR
  if (operatorBefore !== undefined) process.env.OPERATOR = operatorBefore
})

test('the operator is who OPERATOR names, or the system’s user', () => {
  process.env.OPERATOR = ' ada '
  expect(operatorName()).toBe('ada')
  for (const unset of ['', '  ']) {
    process.env.OPERATOR = unset
    expect(operatorName()).toBe(os.userInfo().username)
  }
})

test('a user of the system without a name is recorded by number', () => {
  delete process.env.OPERATOR
  jest.spyOn(os, 'userInfo').mockImplementation(() => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  })
  expect(operatorName()).toBe(`user ${process.getuid?.()}`)
})
