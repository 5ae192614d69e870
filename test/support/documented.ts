import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ALIASED_SEGMENTS } from '@/lib/http/api-segments'
import { isObject } from '@/lib/http/domain/is-object'

export interface GivenAnswer {
  method: string
  pathname: string
  status: number
  contentType: string | null
  /** Null if it was not read. */
  text: string | null
}

type Node = Record<string, unknown>

interface Operation {
  responses: Record<string, { content?: Record<string, unknown>; $ref?: string }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

/**
 * Reports what an answer contains that the OpenAPI document does not; null if it matches. The document allows objects
 * to have additional fields, so that they can grow; here they may not, or the document would fall behind.
 */
export function createDocumentCheck(source: unknown): (answer: GivenAnswer) => string | null {
  const document = closed(source) as Node & Document
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'api')
  const validators = new Map<string, ValidateFunction>()
  const paths = Object.keys(document.paths)
    .map(path => ({ path, pattern: patternOf(path) }))
    // Fewest variables first, and then longest first, because a last variable takes everything that follows.
    .sort(
      (left, right) =>
        left.path.split('{').length - right.path.split('{').length ||
        right.path.split('/').length - left.path.split('/').length,
    )

  function schemaFault(pointer: string[], text: string): string | null {
    const reference = `api#/${pointer.map(escaped).join('/')}`
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference })
    validators.set(reference, validate)
    return validate(JSON.parse(text)) ? null : ajv.errorsText(validate.errors)
  }

  return ({ method, pathname, status, contentType, text }) => {
    const name = `${method} ${pathname} ${status}`
    // A path that cannot be decoded belongs to no route, and is refused before one is looked up.
    const address = unaliased(pathname)
    const path = isDecodable(pathname) ? paths.find(({ pattern }) => pattern.test(address))?.path : undefined
    const operation = path === undefined ? undefined : document.paths[path]?.[methodOf(method)]
    if (!path || !operation) {
      if (status < 400 && method !== 'OPTIONS') return `${name}: no such operation is described`
      if (status < 400 || text === null || method === 'HEAD') return null
      const fault = schemaFault(['components', 'schemas', 'Error'], text)
      return fault && `${name}: ${fault}: ${text.slice(0, 300)}`
    }
    const key = Object.hasOwn(operation.responses, String(status)) ? String(status) : 'default'
    if (key === 'default' && status < 400) return `${name}: no such status is described`
    const response = operation.responses[key]
    const shared = response?.$ref === undefined ? response : sharedResponse(document, response.$ref)
    const pointer = response?.$ref?.slice(2).split('/') ?? ['paths', path, methodOf(method), 'responses', key]
    const type = Object.keys(shared?.content ?? {}).find(each => isOfType(contentType, each))
    if (contentType === null || (text === '' && !shared?.content)) return null
    if (!type) return `${name}: ${contentType} is not described`
    if (type !== 'application/json' || text === null || method === 'HEAD') return null
    const fault = schemaFault([...pointer, 'content', type, 'schema'], text)
    return fault && `${name}: ${fault}: ${text.slice(0, 300)}`
  }
}

/** As in the document, which describes an alias without `/v1` only once, with it. */
function unaliased(pathname: string): string {
  const [, first] = pathname.split('/')
  return ALIASED_SEGMENTS.some(segment => segment === first) ? `/v1${pathname}` : pathname
}

function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname)
    return true
  } catch {
    return false
  }
}

function methodOf(method: string): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase()
}

function sharedResponse(document: Node, reference: string): Operation['responses'][string] | undefined {
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), document)
  return isObject(found) ? found : undefined
}

function isOfType(given: string | null, described: string): boolean {
  const [type = ''] = (given ?? '').split(';')
  return described.endsWith('*') ? type.startsWith(described.slice(0, -1)) : type.trim() === described
}

/** The last variable includes slashes, as in the ids of models. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}$/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`)
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (!isObject(value)) return value
  const node = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))
  const isOpen = node.type !== 'object' || !isObject(node.properties) || 'additionalProperties' in node
  return isOpen ? node : { ...node, additionalProperties: false }
}

/** A step of a JSON pointer in a URL. */
function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}
