/** A part of an OpenAPI 3.1 document; its shape is the specification's, not ours to type. */
export type OpenApiNode = Record<string, unknown>

interface OperationInput {
  summary: string
  description?: string
  /** Who may ask; `public` needs no credential. */
  security?: 'any' | 'credit_id' | 'public'
  parameters?: OpenApiNode[]
  /** The name of a schema, or a schema. */
  body?: string | OpenApiNode
  /** What a success answers with, likewise. */
  answer?: string | OpenApiNode
  status?: number
  /** Content types beside JSON that a success may have. */
  otherContent?: OpenApiNode
}

const SECURITY = {
  any: [{ bearer: [] }, { xApiKey: [] }, { apiKey: [] }, { xCreditId: [] }],
  credit_id: [{ bearer: [] }, { xCreditId: [] }],
  public: [],
}

/** One operation; every one of them answers an error in the same shape. */
export function operation(input: OperationInput): OpenApiNode {
  const { summary, description, parameters, status = 200 } = input
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    security: SECURITY[input.security ?? 'any'],
    ...(parameters === undefined ? {} : { parameters }),
    ...(input.body === undefined ? {} : { requestBody: { required: true, content: json(input.body) } }),
    responses: {
      [status]: {
        description: 'Success',
        content: { ...(input.answer === undefined ? {} : json(input.answer)), ...input.otherContent },
      },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function json(schema: string | OpenApiNode): OpenApiNode {
  return { 'application/json': { schema: typeof schema === 'string' ? reference(schema) : schema } }
}

export function reference(schemaName: string): OpenApiNode {
  return { $ref: `#/components/schemas/${schemaName}` }
}

/** An object schema; names that end in `?` are optional. */
export function object(properties: Record<string, OpenApiNode>): OpenApiNode {
  const names = Object.keys(properties)
  return {
    type: 'object',
    required: names.filter(name => !name.endsWith('?')),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name.replace(/\?$/, ''), schema]),
    ),
  }
}

export function listOf(schema: string | OpenApiNode): OpenApiNode {
  return { type: 'array', items: typeof schema === 'string' ? reference(schema) : schema }
}

export function pathParameter(name: string, description: string): OpenApiNode {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}

export function queryParameter(name: string, description: string, schema: OpenApiNode = TEXT): OpenApiNode {
  return { name, in: 'query', required: false, description, schema }
}

export const TEXT: OpenApiNode = { type: 'string' }
export const NUMBER: OpenApiNode = { type: 'number' }
export const INTEGER: OpenApiNode = { type: 'integer' }
export const BOOLEAN: OpenApiNode = { type: 'boolean' }

export function nullable(type: string): OpenApiNode {
  return { type: [type, 'null'] }
}

export function oneOf(...values: string[]): OpenApiNode {
  return { type: 'string', enum: values }
}
