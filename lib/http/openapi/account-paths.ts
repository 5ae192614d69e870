import { listOf, NUMBER, object, operation, pathParameter, queryParameter, TEXT } from './operation'

const keyId = pathParameter('id', 'The id of the key, never its secret.')

export const ACCOUNT_PATHS = {
  '/accounts/create': {
    post: operation({
      summary: 'Create an account with its first API key',
      description: 'No login. Whoever holds the credit_id holds the balance: keep it safe.',
      security: 'public',
      body: 'CreateAccount',
      answer: 'Account',
    }),
  },
  '/accounts/merge': {
    post: operation({
      summary: 'Move the balance of another credit into this one',
      description:
        'What the other credit has available moves; what is held for answers under way stays. `from_api_key` is for a key that alone holds a balance, as an earlier version left some: any other key only spends (403). `Idempotency-Key` makes a retry answer the same.',
      security: 'credit_id',
      body: { oneOf: [object({ from_credit_id: TEXT }), object({ from_api_key: TEXT })] },
      answer: object({ moved_usd: NUMBER, balance: NUMBER }),
    }),
  },
  '/credits/balance': {
    post: operation({
      summary: 'Get the balance in US dollars',
      description:
        '`debt_usd` is there only where a payment was refunded or charged back after it was spent: so much is taken from the next top-up.',
      body: object({ 'credit_id?': TEXT }),
      answer: object({ balance: NUMBER, 'debt_usd?': NUMBER }),
    }),
  },
  '/api/payments/account/{credit_id}/credit': {
    get: operation({
      summary: 'Get the credit record',
      description: 'An unknown credit_id answers 404 with `{"error": "Not Found"}`.',
      security: 'public',
      parameters: [pathParameter('credit_id', 'The account.')],
      answer: 'CreditRecord',
    }),
  },
  '/keys': {
    get: operation({
      summary: 'List the API keys',
      security: 'credit_id',
      answer: object({ data: listOf('Key') }),
    }),
    post: operation({
      summary: 'Create an API key; its secret is shown in this answer alone',
      security: 'credit_id',
      body: 'KeySettings',
      answer: { allOf: [{ $ref: '#/components/schemas/Key' }, object({ api_key: TEXT })] },
      status: 201,
    }),
  },
  '/keys/{id}': {
    get: operation({
      summary: 'Get an API key',
      security: 'credit_id',
      parameters: [keyId],
      answer: 'Key',
    }),
    patch: operation({
      summary: 'Change label, limit, period or expiry',
      security: 'credit_id',
      parameters: [keyId],
      body: 'KeySettings',
      answer: 'Key',
    }),
    delete: operation({
      summary: 'Revoke an API key',
      security: 'credit_id',
      parameters: [keyId],
      answer: 'Key',
    }),
  },
  '/queries/history': {
    get: operation({
      summary: 'List every call with what it cost, failed ones at nothing included',
      parameters: [
        queryParameter('limit', 'Rows of a page.', { type: 'integer', minimum: 1 }),
        queryParameter('cursor', 'From `next_cursor` of the page before.'),
        queryParameter('from', 'Not before this time.'),
        queryParameter('to', 'Before this time.'),
        queryParameter('model', 'Only this model.'),
        queryParameter('api_key_id', 'Only this key.'),
        queryParameter('format', 'csv for a table.', { type: 'string', enum: ['json', 'csv'] }),
      ],
      answer: object({ data: listOf('Query'), next_cursor: { type: ['string', 'null'] } }),
      otherContent: { 'text/csv': { schema: TEXT } },
    }),
  },
}
