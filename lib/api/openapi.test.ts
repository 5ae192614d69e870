import { describe, expect, test } from '@jest/globals'
import { CREDENTIAL_HEADERS } from '@/lib/http/credential'
import { API_ERROR_CODES } from '@/lib/http/domain/error-codes'
import { api, CONTRACTS } from './application'
import { llmsText } from './llms-text'
import { openApiDocument } from './openapi'

const SITE = 'https://shop.example'
const document = openApiDocument(CONTRACTS, { appName: 'Shop', site: SITE })
const text = JSON.stringify(document)

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (node, name) => (typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined),
    value,
  )
}

describe('the description of the API', () => {
  test('has no undefined references', () => {
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path)
    expect(references.length).toBeGreaterThan(0)
    expect(references.filter(path => at(document, ...path.split('/')) === undefined)).toEqual([])
  })

  test('has a unique operationId for every operation', () => {
    const names = Object.values(document.paths).flatMap(operations =>
      Object.values(operations).map(operation => at(operation, 'operationId')),
    )
    expect(names).toContain('postV1ChatCompletions')
    expect(names).toContain('deleteKeysById')
    expect(new Set(names).size).toBe(names.length)
  })

  test('requires no body where an empty one is accepted', () => {
    const isRequired = (path: string) => at(document.paths[path], 'post', 'requestBody', 'required')
    expect(['/accounts/create', '/keys', '/credits/balance'].map(isRequired)).toEqual([false, false, false])
    expect(['/v1/chat/completions', '/topup/create/{method}'].map(isRequired)).toEqual([true, true])
  })

  test('requires a model of a chat, or a list of models', () => {
    const schema = at(document, 'components', 'schemas', 'ChatRequest')
    expect(schema).toMatchObject({
      required: ['messages'],
      anyOf: [{ required: ['model'] }, { required: ['models'] }],
      properties: { model: { type: 'string' }, models: expect.anything() },
    })
  })

  test('comes from contracts that refuse unknown fields in every body', () => {
    const bodies = Object.values(CONTRACTS).flatMap(contracts =>
      contracts.flatMap(({ method, path, body }) => (body ? [{ name: `${method} ${path}`, body }] : [])),
    )
    const isOpen = ({ body }: (typeof bodies)[number]) =>
      !body.safeParse({ no_such_name: 1 }).error?.issues.some(({ code }) => code === 'unrecognized_keys')
    expect(bodies.length).toBeGreaterThan(0)
    expect(bodies.filter(isOpen).map(({ name }) => name)).toEqual([])
  })

  test('declares every parameter that a path has', () => {
    const missing = Object.entries(at(document, 'paths') ?? {}).flatMap(([path, operations]) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      return Object.values(operations ?? {}).flatMap(operation => {
        const declared = JSON.stringify(at(operation, 'parameters') ?? [])
        return names
          .filter(name => !declared.includes(`"name":"${name}","in":"path"`))
          .map(name => [path, name])
      })
    })
    expect(missing).toEqual([])
  })

  test('has every header that a credential may be in', () => {
    const schemes = Object.values(at(document, 'components', 'securitySchemes') as object)
    const headers = schemes.flatMap(scheme => (at(scheme, 'in') === 'header' ? [at(scheme, 'name')] : []))
    expect(headers).toEqual(CREDENTIAL_HEADERS)
  })

  test('lists every error code', () => {
    const codes = at(
      document,
      'components',
      'schemas',
      'Error',
      'properties',
      'error',
      'properties',
      'code',
      'enum',
    )
    expect(codes).toEqual(API_ERROR_CODES)
  })

  test('describes the headers of its errors', async () => {
    const { headers } = await api(new Request(`${SITE}/v1/nothing`))
    const described = Object.keys(at(document, 'components', 'responses', 'Error', 'headers') ?? {})
    expect(described.length).toBeGreaterThan(0)
    expect(described.filter(name => !headers.has(name))).toEqual([])
    expect(described).toContain('x-should-retry')
  })

  test('lists the 429 answer of every limited route', () => {
    const limited = Object.values(CONTRACTS)
      .flat()
      .filter(({ limit, error }) => limit && !error)
    expect(limited.length).toBeGreaterThan(0)
    for (const { path, method } of limited)
      expect(at(document.paths[path], method.toLowerCase(), 'responses', '429')).toBeDefined()
  })

  test('lists only existing routes for agents', () => {
    const told = llmsText(CONTRACTS, { appName: 'Shop', site: SITE })
    const named = [...told.matchAll(/`(GET|POST) https:\/\/shop\.example(\/[^`\s]*)`/g)]
    expect(named.length).toBeGreaterThanOrEqual(8)
    const patterns = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(
        method => new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      ),
    )
    const unknown = named
      .map(([, method, path]) => `${method} ${path}`)
      .filter(name => !patterns.some(pattern => pattern.test(name)))
    expect(unknown).toEqual([])
  })

  test('has the operator’s name and URL', () => {
    expect(at(document, 'info', 'title')).toBe('Shop API')
    expect(at(document, 'servers')).toEqual([{ url: SITE }])
    expect(llmsText(CONTRACTS, { appName: 'Shop', site: SITE })).toContain(
      'Base URL for OpenAI clients: https://shop.example/v1',
    )
  })
})
