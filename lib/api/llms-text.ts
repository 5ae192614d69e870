import { KEY_PLACEHOLDER, MODEL_PLACEHOLDER, setUpText } from './domain/set-up'
import type { Contracts } from './openapi'

/** What an agent needs to use this site by itself, in the form of llmstxt.org. */
export function llmsText(contracts: Contracts, { appName, site }: { appName: string; site: string }): string {
  const sections = Object.entries(contracts).map(([heading, list]) => {
    const lines = list.map(
      ({ method, path, summary }) => `- \`${method} ${path.replace('{+', '{')}\`: ${summary}`,
    )
    return `### ${heading}\n\n${lines.join('\n')}\n`
  })
  return `# ${appName}

> AI chat and an OpenAI-compatible API, paid per answer from a prepaid balance in US dollars. No login.

Base URL for OpenAI clients: ${site}/v1

1. Create an account: \`POST ${site}/accounts/create\` answers \`{"credit_id", "api_key", "balance"}\`. The credit_id holds the money; the api_key spends it. Both are secrets.
2. Add money: \`POST ${site}/topup/create/btc-lightning\` with \`Authorization: Bearer <credit_id>\` and \`{"amount": 1, "currency": "USD"}\` answers a \`lightning_invoice\` to pay. \`GET ${site}/topup/status/{invoice_id}\` tells when it is credited.
3. Ask: \`POST ${site}/v1/chat/completions\` with \`Authorization: Bearer <api_key>\`. The answer's \`usage.cost\` is what was charged in USD, \`usage.balance_usd\` what is left. Pictures come from \`POST ${site}/v1/images/generations\` the same way.

Without an account: where Lightning is accepted, a paid call without any credential is answered \`402 payment_required\` with two challenges in \`WWW-Authenticate\`, \`L402\` and \`Payment\` (method lightning, intent charge), over the same BOLT11 invoice, for the most that this very request can cost and at least what the gateway takes. Pay it, and send the request again with \`Authorization: L402 <token>:<preimage>\`, or with the answer to the Payment challenge. What is not used stays on the token: send \`L402 <token>:<preimage>\` with further requests, or \`<token>:<preimage>\` in the place of an API key, until it is spent; then a 402 asks for what is missing, on the same credit. \`POST ${site}/accounts/merge\` with \`{"from_token": "<token>:<preimage>"}\` moves what is left to a credit_id. A Payment challenge is answered once; repeated, it gets the same answer.

The same models answer in OpenAI's Responses (\`POST ${site}/v1/responses\`) and in Anthropic's Messages (\`POST ${site}/v1/messages\`; base URL for Anthropic clients: ${site}), where \`POST ${site}/v1/messages/count_tokens\` costs nothing.

OpenRouter’s clients work with the base URL ${site}/api/v1: every route below /v1 answers there too, with \`GET ${site}/api/v1/key\`, \`GET ${site}/api/v1/credits\` and \`GET ${site}/api/v1/generation\` for its meters.

Also: \`POST ${site}/v1/embeddings\` turns texts into vectors, \`POST ${site}/v1/completions\` serves tools that are older than chats. \`POST ${site}/v1/audio/speech\` reads a text aloud (voices: \`GET ${site}/v1/audio/voices\`), \`POST ${site}/v1/audio/transcriptions\` writes down a recording. \`GET ${site}/queries/{x-exchange-id}\` tells what an answer cost.

For the Model Context Protocol: streamable HTTP at \`${site}/mcp\`, with the same credentials as headers. Its tools look up models, prices, balance and usage and make invoices; none spends.

Errors are \`{"error": {"message", "type", "code", "param"}}\`. \`402 insufficient_credit\` tells \`required_usd\` and \`available_usd\`. \`X-Max-Charge-USD\` binds the price of a call: no more is held or charged. Send an \`Idempotency-Key\` to make retries safe. An answer that never came costs nothing. \`provider\` chooses hosts as OpenRouter has it: \`{"zdr": true}\` those that keep nothing, \`{"data_collection": "deny"}\` those that learn nothing, \`{"max_price": {"prompt": 1, "completion": 2}}\` none dearer, in USD per million tokens; an API key can want the same of all its requests (\`routing\`), and may ask only some \`models\`, or at most \`max_charge_usd\` for a request. What cannot be promised is refused. \`service_tier: "flex"\` is slower, and cheaper where the host serves it so: a model's \`pricing.overrides\` name the price where it is listed. Web apps of any origin may ask with a credential in a header (CORS); what goes by a cookie, opens accounts or serves gateways answers this site’s own pages and programs alone.

## Set-up

What to tell tools and libraries, with a key and a model of the list in place of \`${KEY_PLACEHOLDER}\` and \`${MODEL_PLACEHOLDER}\`.

${setUpText({ site, secret: KEY_PLACEHOLDER, modelId: MODEL_PLACEHOLDER }, '###')}
## Routes

${sections.join('\n')}
## Docs

- [OpenAPI](${site}/openapi.json): every route and shape
- [Models](${site}/v1/models): models with prices in USD per unit
- [Pricing](${site}/pricing): the same for people
`
}
