import 'server-only'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { z } from 'zod'
import { averageMessageCost } from '@/lib/catalogue/domain/average-message-cost'
import { EVERYDAY_ANSWER_TOKEN_COUNT } from '@/lib/catalogue/domain/everyday'
import { filterModels } from '@/lib/catalogue/domain/filter-models'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import { quickPromptTokens, tokensPerImage } from '@/lib/catalogue/domain/prompt-tokens'
import type { Services } from '@/lib/composition'
import { UNPAID_BODY_BYTES_MAX } from '@/lib/http/admit-body'
import { ApiError } from '@/lib/http/api-error'
import { isOwnOrigin } from '@/lib/http/cross-site'
import { toApiError } from '@/lib/http/handle-api'
import { parseJson, readBody } from '@/lib/http/read-body'
import { requireAccount } from '@/lib/http/require-account'
import { minNano, nanoToUsdNumber } from '@/lib/money/nano'
import { modelToBody } from './contracts/models'
import { usageQuery } from './contracts/queries'
import { filterOf, listQuery } from './models'
import { listUsage } from './queries'
import { countingGuesses, route } from './route'
import { invoiceRequest, orderInvoice } from './top-ups'

/** As many models as a program can take in at once. */
const MODEL_COUNT_MAX = 200
const MODEL_COUNT_DEFAULT = 20
const ANSWER_TOKEN_COUNT_MAX = 1_000_000

/** The envelope of JSON-RPC; the SDK has the protocol's own schemas. */
const message = z.looseObject({ jsonrpc: z.literal('2.0') })

/** A tool of MCP. Its input is a contract of the route that does the same. */
interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  /** Creates an invoice at the gateway; all other tools only read. */
  creates?: true
  /** @throws ApiError */
  run(input: never, context: { request: Request; services: Services }): Promise<Record<string, unknown>>
}

function tool<Input extends z.ZodObject>(
  described: Omit<Tool, 'input' | 'run'> & {
    input: Input
    run(
      input: z.output<Input>,
      context: { request: Request; services: Services },
    ): Promise<Record<string, unknown>>
  },
): Tool {
  return described
}

const CREDENTIAL =
  'Needs a credential in the headers of the MCP connection: "Authorization: Bearer <credit_id or API key>", or "Authorization: L402 <token>:<preimage>".'

const TOOLS = [
  tool({
    name: 'list_models',
    title: 'List models',
    description:
      'Lists AI models with what this site charges, in US dollars per token, picture or second as decimal strings. Free, no credential. Narrow it with `q` (words of the name or id), `type`, `supported_parameters`, `max_price` and others; `sort` it by price.',
    input: listQuery.omit({ after_id: true, before_id: true }).extend({
      limit: z
        .int()
        .min(1)
        .max(MODEL_COUNT_MAX)
        .default(MODEL_COUNT_DEFAULT)
        .describe('The most models to return.'),
    }),
    async run({ limit, ...query }, { services: { catalogue } }) {
      const found = filterModels(await catalogue.listModels(), filterOf(query))
      const models = found.slice(0, limit).map(model => {
        const { id, name, type: kind, context_length, architecture, pricing } = modelToBody(model)
        return { id, name, type: kind, context_length, modality: architecture.modality, pricing }
      })
      return { models, total_count: found.length }
    },
  }),
  tool({
    name: 'estimate_cost',
    title: 'Estimate what a request costs',
    description:
      'Prices a request before it is made, without making it. `bound_usd` is the most that it can ever be charged and what is held while it runs; `likely_usd` is what it will probably cost. Free, no credential.',
    input: z.object({
      call: z
        .enum(['chat', 'images', 'speech', 'embeddings'])
        .describe(
          'chat is POST /v1/chat/completions; the others are /v1/images/generations, /v1/audio/speech, /v1/embeddings.',
        ),
      request: z.looseObject({}).describe('The JSON body that would be posted there.'),
      expected_output_tokens: z
        .int()
        .min(1)
        .max(ANSWER_TOKEN_COUNT_MAX)
        .default(EVERYDAY_ANSWER_TOKEN_COUNT)
        .describe(
          'For a chat: the length of the answer that you expect, without its reasoning. 400 tokens are about 300 words.',
        ),
    }),
    async run({ call, request: body, expected_output_tokens: outputTokenCount }, { services }) {
      const { boundNano, modelId, ignoredFields, isFree } = await services.kinds[call].quote({
        body: Buffer.from(JSON.stringify(body)),
        json: async () => body,
        contentType: 'application/json',
        keyRouting: null,
      })
      const model = call === 'chat' ? await services.catalogue.findModel(modelId) : null
      // A tokenizer takes half a second for a hostile text of this length, and nobody pays for it.
      const inputTokenCount = model && quickPromptTokens(measurePrompt(body), tokensPerImage(model.id))
      const likely = { read: inputTokenCount ?? 0, written: outputTokenCount }
      const likelyNano = model ? minNano(boundNano, averageMessageCost(model, likely)) : boundNano
      return {
        model: modelId,
        bound_usd: nanoToUsdNumber(boundNano),
        likely_usd: nanoToUsdNumber(likelyNano),
        is_free: isFree,
        ...(model && { estimated_input_tokens: inputTokenCount, expected_output_tokens: outputTokenCount }),
        ignored_fields: ignoredFields,
      }
    },
  }),
  tool({
    name: 'get_balance',
    title: 'Get the balance',
    description: `Returns the balance in US dollars, the part of it that is held for answers still being written, and the part that is available to spend. ${CREDENTIAL}`,
    input: z.object({}),
    async run(_input, { request, services: { ledger } }) {
      const { balanceNano, heldNano, availableNano, debtNano } = await requireAccount(request, ledger)
      return {
        balance_usd: nanoToUsdNumber(balanceNano),
        held_usd: nanoToUsdNumber(heldNano),
        available_usd: nanoToUsdNumber(availableNano),
        debt_usd: nanoToUsdNumber(debtNano),
      }
    },
  }),
  tool({
    name: 'top_up',
    title: 'Create an invoice to top up',
    description: `Creates an invoice that adds to the balance once it is paid; nothing is spent. Pay \`lightning_invoice\` (BOLT11), send bitcoin to \`address\`, or open \`checkout_url\`, before \`expires_at\` (unix seconds). Then call get_balance. ${CREDENTIAL}`,
    input: invoiceRequest.body.extend({
      method: invoiceRequest.params.method.default('btc-lightning'),
    }),
    creates: true,
    async run({ method: methodId, amount, currency }, { request, services }) {
      const { accountId } = await requireAccount(request, services.ledger)
      await services.rateLimits.take(invoiceRequest.limit, request.headers, accountId)
      return orderInvoice(request, services, { accountId, methodId, amount, currency })
    },
  }),
  tool({
    name: 'get_usage',
    title: 'List calls and what they cost',
    description: `Lists past calls, newest first, each with model, tokens, status and \`price_in_usd\`, failed ones included. Pass \`next_cursor\` as \`cursor\` to get more. ${CREDENTIAL}`,
    input: usageQuery.omit({ format: true }),
    async run(query, { request, services: { ledger } }) {
      return listUsage(ledger, await requireAccount(request, ledger), query)
    },
  }),
]

export const mcpRoutes = [
  route(
    {
      method: 'POST',
      path: '/mcp',
      summary:
        'Look up models, prices, balance and usage, and create invoices, by the Model Context Protocol',
      description: `Streamable HTTP without sessions: each message is answered at once, as JSON. Tools: ${TOOLS.map(({ name }) => name).join(', ')}. None of them spends money. Credentials are sent in headers, as for every other route.`,
      caller: 'agent',
      limit: 'agent_call',
      bodiesByType: { 'application/json': message.meta({ id: 'McpMessage' }) },
      answer: z.looseObject({ jsonrpc: z.literal('2.0') }),
      answersByStatus: { 202: null },
      error: z.looseObject({
        error: z.looseObject({ message: z.string(), code: z.union([z.int(), z.string()]) }),
      }),
    },
    async ({ request, services }) => {
      refuseForeignOrigin(request, services)
      const body = await parseJson(
        await readBody(request, UNPAID_BODY_BYTES_MAX, services.bodiesInFlight),
        message,
      )
      return answerMessage(request, services, body)
    },
  ),
]

/**
 * Refuses pages of other sites, including those whose name was pointed at this machine (DNS rebinding); programs send
 * no Origin. Without `SITE_URL`, only a page under a name that nobody can point elsewhere counts as this site's own.
 *
 * @throws ApiError forbidden
 */
function refuseForeignOrigin({ headers }: Request, { settings: { siteUrl } }: Services): void {
  const origin = headers.get('origin')
  if (origin === null) return
  const isOwn =
    siteUrl !== null
      ? URL.canParse(origin) && new URL(origin).origin === new URL(siteUrl).origin
      : isOwnOrigin(origin, headers) && FIXED_HOSTNAME.test(new URL(origin).hostname)
  if (!isOwn) throw new ApiError('forbidden', 'Pages of other sites may not use this MCP server.')
}

const FIXED_HOSTNAME = /^(localhost|[\d.]+|\[[\da-f:]+\])$/i

/** A server for one message, since nothing is kept between two. The SDK is loaded at the first request. */
async function answerMessage(request: Request, services: Services, body: unknown): Promise<Response> {
  const [{ McpServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/mcp.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  ])
  const server = new McpServer(
    { name: services.settings.appName, version: '1.0.0' },
    {
      instructions:
        'AI models paid per answer from a prepaid balance in US dollars. These tools look up models, prices, balance and usage and make invoices; none of them spends. Answers come from the HTTP API, which /llms.txt describes.',
    },
  )
  for (const each of TOOLS) register(server, each, { request, services })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: body })
  } finally {
    await server.close()
  }
}

function register(
  server: McpServer,
  { name, title, description, input, creates, run }: Tool,
  context: { request: Request; services: Services },
): void {
  const annotations = {
    readOnlyHint: creates !== true,
    destructiveHint: false,
    idempotentHint: creates !== true,
    openWorldHint: creates === true,
  }
  server.registerTool(name, { title, description, inputSchema: input, annotations }, async given => {
    try {
      // A refusal is the result of a tool, so the route does not see it.
      const { request, services } = context
      return told(await countingGuesses(services, request, () => run(given as never, context)))
    } catch (error) {
      const { message: text, code } = toApiError(error)
      return { ...told({ error: { code, message: text } }), isError: true }
    }
  })
}

function told(result: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(result) }], structuredContent: result }
}
