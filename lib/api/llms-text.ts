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

1. Create an account: \`POST ${site}/accounts/create\` answers with \`{"credit_id", "api_key", "balance"}\`. The credit_id holds the money; the api_key spends it. Both are secrets.
2. Add money: \`POST ${site}/topup/create/btc-lightning\` with \`Authorization: Bearer <credit_id>\` and \`{"amount": 1, "currency": "USD"}\` answers with a \`lightning_invoice\` to pay. \`GET ${site}/topup/status/{invoice_id}\` shows when it has been credited.
3. Ask: \`POST ${site}/v1/chat/completions\` with \`Authorization: Bearer <api_key>\`. \`usage.cost\` in the answer is the USD charged, \`usage.balance_usd\` the USD left. Images work the same way: \`POST ${site}/v1/images/generations\`.

Without an account: where Lightning is accepted, a paid call without any credential is answered \`402 payment_required\` with two challenges in \`WWW-Authenticate\`, \`L402\` and \`Payment\` (method lightning, intent charge), with the same BOLT11 invoice. Its amount is the most that this request can cost, or the gateway's minimum if that is more. Pay it, and send the request again with \`Authorization: L402 <token>:<preimage>\`, or with the answer to the Payment challenge. What is not used stays on the token: send \`L402 <token>:<preimage>\` with further requests, or \`<token>:<preimage>\` in place of an API key, until it is spent. A 402 then asks for the missing amount, with a new invoice and token for the same balance. \`POST ${site}/accounts/merge\` with \`{"from_token": "<token>:<preimage>"}\` moves what is left to a credit_id. A Payment challenge pays for one request; sent again, it gets the same answer.

The same models answer in OpenAI's Responses (\`POST ${site}/v1/responses\`) and in Anthropic's Messages (\`POST ${site}/v1/messages\`; base URL for Anthropic clients: ${site}), where \`POST ${site}/v1/messages/count_tokens\` is free.

OpenRouter’s clients work with the base URL ${site}/api/v1. Every route below /v1 also exists there, and so do \`GET ${site}/api/v1/key\`, \`GET ${site}/api/v1/credits\` and \`GET ${site}/api/v1/generation\`, from which those clients read balance and cost.

Also: \`POST ${site}/v1/embeddings\` turns texts into vectors, \`POST ${site}/v1/completions\` serves tools that do not use chat completions. \`POST ${site}/v1/audio/speech\` reads a text aloud (voices: \`GET ${site}/v1/audio/voices\`), \`POST ${site}/v1/audio/transcriptions\` transcribes a recording. \`GET ${site}/queries/{x-exchange-id}\` shows the cost of an answer.

For the Model Context Protocol: streamable HTTP at \`${site}/mcp\`, with the same credentials as headers. Its tools look up models, prices, balance and usage, and create invoices; none of them spends money.

Errors are \`{"error": {"message", "type", "code", "param"}}\`. \`402 insufficient_credit\` has \`required_usd\` and \`available_usd\`. \`X-Max-Charge-USD\` limits the price of a call: no more is held or charged. Send an \`Idempotency-Key\` to make retries safe. An answer that never came costs nothing. \`provider\` restricts hosts as in OpenRouter’s API: \`{"zdr": true}\` to hosts that store nothing, \`{"data_collection": "deny"}\` to hosts that do not train on requests, \`{"max_price": {"prompt": 1, "completion": 2}}\` to prices up to that, in USD per million tokens. An API key can have the same restrictions for all its requests (\`routing\`), and can be limited to some \`models\`, or to \`max_charge_usd\` per request. A request that cannot be served within its restrictions is refused. \`service_tier: "flex"\` is slower, and cheaper if the host serves it: its price is in \`pricing.overrides\` of the model. Web apps of any origin may call the API with a credential in a header (CORS). Routes that use a cookie, open accounts or serve gateways can be called only by this site’s own pages and by programs outside a browser.

## Set-up

The settings for tools and libraries. Put your key and a model of the list in place of \`${KEY_PLACEHOLDER}\` and \`${MODEL_PLACEHOLDER}\`.

${setUpText({ site, secret: KEY_PLACEHOLDER, modelId: MODEL_PLACEHOLDER, contextLength: null })}
## Routes

${sections.join('\n')}
## Docs

- [OpenAPI](${site}/openapi.json): every route and shape
- [Models](${site}/v1/models): models with prices in USD per unit
- [Pricing](${site}/pricing): the same for people
`
}
