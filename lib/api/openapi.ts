import 'server-only'
import { type ZodType, z } from 'zod'
import { CALLERS } from './callers'
import { errorSchema } from './contracts/error'
import type { RouteContract } from './route'

/** The documents themselves, which need no database: app/openapi.json and app/llms.txt. */
export const descriptionContracts = [
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this document',
    caller: 'published',
    answer: z.looseObject({ openapi: z.string() }),
  },
  {
    method: 'GET',
    path: '/llms.txt',
    summary: 'Get the instructions for agents that use this site',
    caller: 'published',
    answersByType: { 'text/plain': z.string() },
  },
] as const satisfies RouteContract[]

const REQUEST_ID_HEADER = {
  'x-request-id':
    'The id of this request in the site’s log: the one that the client sent, or a new one. With `anthropic-version` also as `request-id`.',
}

const ERROR_HEADERS = {
  ...REQUEST_ID_HEADER,
  'x-should-retry': '`false` if the same request would fail again. OpenAI’s and Anthropic’s SDKs obey it.',
}

/** A part of an OpenAPI 3.1 document; its shape is the specification's, not ours to type. */
type OpenApiNode = Record<string, unknown>

export interface OpenApiDocument extends OpenApiNode {
  paths: Record<string, OpenApiNode>
}

export type Contracts = Readonly<Record<string, readonly RouteContract[]>>

const header = (name: string) => ({ type: 'apiKey', in: 'header', name })

/** The API in OpenAPI 3.1, made of its routes' contracts, under the operator's name and address. */
export function openApiDocument(
  contracts: Contracts,
  { appName, site }: { appName: string; site: string },
): OpenApiDocument {
  const schemas: OpenApiNode = {}
  const paths: Record<string, OpenApiNode> = {}
  for (const [tag, list] of Object.entries(contracts)) {
    for (const contract of list) {
      const path = contract.path.replace('{+', '{')
      const described = operation(contract, tag, schemas)
      // Routes below /v1 also answer below OpenRouter's base path.
      const servers = path.startsWith('/v1/') ? { servers: [{ url: site }, { url: `${site}/api` }] } : {}
      paths[path] = { ...paths[path], [contract.method.toLowerCase()]: { ...described, ...servers } }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${appName} API`,
      version: '1.0.0',
      description:
        'Any AI model, paid per answer from a prepaid balance. OpenAI’s, Anthropic’s, OpenRouter’s and PayPerQ’s clients work by changing their base URL. A credit_id (UUID) holds and manages a balance; an API key (sk-…) spends it. Web apps of any origin may call every route that takes a credential in a header, and the public lists. Cookies are ignored there.',
    },
    servers: [{ url: site }],
    tags: Object.keys(contracts).map(name => ({ name })),
    paths,
    components: {
      schemas,
      responses: {
        Error: {
          description: 'The error. Its shape is the same everywhere',
          headers: headersOf(ERROR_HEADERS),
          content: json(errorSchema, 'output', schemas),
        },
        RateLimited: {
          description: 'Too many requests',
          headers: {
            'retry-after': {
              description: 'Seconds until the next attempt is allowed.',
              schema: { type: 'integer' },
            },
          },
          content: json(errorSchema, 'output', schemas),
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        l402: {
          type: 'http',
          scheme: 'L402',
          description:
            '`<token>:<preimage>`: the token from the `WWW-Authenticate` header of a 402, and the preimage from paying its invoice. In a client that takes only an API key, send the two with their colon as the key.',
        },
        payment: {
          type: 'http',
          scheme: 'Payment',
          description:
            'The answer to a Payment challenge of the method `lightning` with the intent `charge`. It pays for one request; sent again, it gets the same answer. What is left of the payment is on the token in `opaque`, to be used with L402.',
        },
        xApiKey: header('x-api-key'),
        apiKey: header('api-key'),
        xCreditId: header('x-credit-id'),
        session: { type: 'apiKey', in: 'cookie', name: 'sb-auth-token' },
      },
    },
  }
}

function operation(contract: RouteContract, tag: string, schemas: OpenApiNode): OpenApiNode {
  const { summary, description, body, answer, answerHeaders, answersByStatus } = contract
  const parameters = [
    ...parametersOf(z.object(contract.params ?? {}), 'path', schemas),
    ...parametersOf(contract.query, 'query', schemas),
    ...parametersOf(contract.headers, 'header', schemas),
  ]
  const taken = {
    ...(body && json(body, 'input', schemas)),
    ...contents(contract.bodiesByType, 'input', schemas),
  }
  const given = {
    ...(answer && json(answer, 'output', schemas)),
    ...contents(contract.answersByType, 'output', schemas),
  }
  return {
    operationId: operationIdOf(contract),
    tags: [tag],
    summary,
    ...(description && { description }),
    security: CALLERS[contract.caller].security,
    ...(parameters.length > 0 && { parameters }),
    ...(Object.keys(taken).length > 0 && {
      // An empty body is read as an object without fields.
      requestBody: { required: !body?.safeParse({}).success, content: taken },
    }),
    responses: {
      [contract.status ?? 200]: {
        description: 'Success',
        headers: headersOf({ ...answerHeaders, ...REQUEST_ID_HEADER }),
        ...(Object.keys(given).length > 0 && { content: given }),
      },
      ...Object.fromEntries(
        Object.entries(answersByStatus ?? {}).map(([status, schema]) => [
          status,
          {
            description: schema?.description ?? '',
            ...(schema && { content: json(schema, 'output', schemas) }),
          },
        ]),
      ),
      ...(contract.limit && !contract.error && { 429: { $ref: '#/components/responses/RateLimited' } }),
      default: contract.error
        ? {
            description: 'What went wrong',
            headers: headersOf(ERROR_HEADERS),
            content: json(contract.error, 'output', schemas),
          }
        : { $ref: '#/components/responses/Error' },
    },
  }
}

function headersOf(texts: Record<string, string>): OpenApiNode {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
  )
}

/** The name in generated clients: `postV1ChatCompletions`, `deleteKeysById`. */
function operationIdOf({ method, path }: RouteContract): string {
  const words = path.replace(/\{\+?/g, 'by-').match(/[A-Za-z0-9]+/g) ?? []
  return method.toLowerCase() + words.map(word => word[0]?.toUpperCase() + word.slice(1)).join('')
}

function parametersOf(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schemas: OpenApiNode,
): OpenApiNode[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = toJsonSchema(field as ZodType, 'input', schemas)
    const required = place === 'path' || !(field as ZodType).safeParse(undefined).success
    return { name, in: place, required, ...(description !== undefined && { description }), schema: rest }
  })
}

function contents(
  byType: Record<string, ZodType> | undefined,
  io: 'input' | 'output',
  schemas: OpenApiNode,
): OpenApiNode {
  return Object.fromEntries(
    Object.entries(byType ?? {}).map(([type, schema]) => [
      type,
      { schema: toJsonSchema(schema, io, schemas) },
    ]),
  )
}

function json(schema: ZodType, io: 'input' | 'output', schemas: OpenApiNode): OpenApiNode {
  return contents({ 'application/json': schema }, io, schemas)
}

/** Schemas with an id go into `schemas`, and are referenced. */
function toJsonSchema(schema: ZodType, io: 'input' | 'output', schemas: OpenApiNode): OpenApiNode {
  const { $schema, $defs, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Answers may gain fields in the future, so no client should rely on there being no others.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  const rewrite = (node: unknown) =>
    JSON.parse(JSON.stringify(node).replaceAll('"#/$defs/', '"#/components/schemas/'))
  Object.assign(schemas, rewrite($defs ?? {}))
  return rewrite(rest)
}
