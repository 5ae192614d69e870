import { ADDITIONAL_STATUSES } from '@/lib/payments/domain/invoice'
import { INVOICE_STATES } from '@/lib/payments/domain/invoice-states'
import { CURRENCIES, METHOD_IDS } from '@/lib/payments/domain/payment-method'
import { API_ERROR_CODES } from '../api-error'
import { BOOLEAN, INTEGER, listOf, NUMBER, nullable, object, oneOf, reference, TEXT } from './operation'

const invoiceFields = {
  invoice_id: TEXT,
  created_at: { ...INTEGER, description: 'Unix seconds.' },
  expires_at: { ...INTEGER, description: 'Unix seconds.' },
  amount: NUMBER,
  currency: oneOf(...CURRENCIES),
  checkout_url: nullable('string'),
  lightning_invoice: { ...nullable('string'), description: 'BOLT11.' },
  crypto_amount_due: { ...nullable('number'), description: 'In bitcoin.' },
}

const keySettings = {
  'label?': TEXT,
  'usage_limit_usd?': { type: ['number', 'null'], minimum: 0.01 },
  'reset_period?': oneOf('none', 'daily', 'weekly', 'monthly'),
  'expire_at?': { ...nullable('integer'), description: 'Unix seconds.' },
}

export const SCHEMAS = {
  Error: object({
    error: object({
      message: TEXT,
      type: TEXT,
      code: oneOf(...API_ERROR_CODES),
      param: nullable('string'),
      'required_usd?': NUMBER,
      'available_usd?': NUMBER,
    }),
  }),
  ModelList: object({ object: oneOf('list'), data: listOf('Model') }),
  Model: object({
    id: TEXT,
    object: oneOf('model'),
    created: INTEGER,
    owned_by: TEXT,
    name: TEXT,
    description: TEXT,
    context_length: nullable('integer'),
    architecture: object({ input_modalities: listOf(TEXT), output_modalities: listOf(TEXT) }),
    pricing: {
      type: 'object',
      description:
        'Decimal strings in USD per unit: prompt, completion, request, image, audio, web_search, input_cache_read, input_character, input_second …; overrides are conditional prices, of which the last that applies wins',
      properties: { overrides: listOf({ type: 'object' }) },
      additionalProperties: TEXT,
    },
    supported_parameters: listOf(TEXT),
    expiration_date: nullable('string'),
  }),
  ChatRequest: {
    ...object({
      model: TEXT,
      messages: listOf({ type: 'object' }),
      'stream?': BOOLEAN,
      'max_tokens?': INTEGER,
    }),
    additionalProperties: true,
  },
  ChatAnswer: {
    ...object({ id: TEXT, choices: listOf({ type: 'object' }), usage: reference('Usage') }),
    additionalProperties: true,
  },
  Usage: object({
    prompt_tokens: INTEGER,
    completion_tokens: INTEGER,
    cost: { ...NUMBER, description: 'USD charged for this exchange.' },
    balance_usd: { ...NUMBER, description: 'USD left after it.' },
  }),
  SpeechRequest: {
    ...object({
      model: TEXT,
      input: { ...TEXT, maxLength: 40_000 },
      'voice?': { ...TEXT, description: 'From GET /v1/audio/voices.' },
      'response_format?': oneOf('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
      'speed?': { ...NUMBER, minimum: 0.25, maximum: 4 },
      'instructions?': TEXT,
    }),
    additionalProperties: true,
  },
  VoiceList: object({ object: oneOf('list'), data: listOf('Voice') }),
  Voice: object({
    id: TEXT,
    object: oneOf('voice'),
    name: TEXT,
    language: nullable('string'),
    description: nullable('string'),
    preview_url: nullable('string'),
    models: listOf(TEXT),
  }),
  TranscriptionRequest: {
    ...object({
      file: { type: 'string', format: 'binary' },
      model: TEXT,
      'language?': TEXT,
      'prompt?': TEXT,
      'response_format?': oneOf('json', 'text', 'verbose_json'),
      'temperature?': NUMBER,
    }),
    additionalProperties: true,
  },
  Transcript: {
    ...object({
      text: TEXT,
      usage: object({
        type: oneOf('duration'),
        seconds: { ...INTEGER, description: 'Begun seconds.' },
        cost: { ...NUMBER, description: 'USD charged.' },
        'balance_usd?': { ...NUMBER, description: 'USD left after it.' },
      }),
    }),
    additionalProperties: true,
  },
  CreateAccount: object({ 'attribution?': { type: ['object', 'null'], additionalProperties: TEXT } }),
  Account: object({ success: BOOLEAN, credit_id: TEXT, api_key: TEXT, balance: NUMBER }),
  CreditRecord: object({ credit_id: TEXT, amount_usd: NUMBER }),
  PaymentMethod: object({
    method: oneOf(...METHOD_IDS),
    display_name: TEXT,
    supported_currencies: listOf(TEXT),
    limits: { type: 'object', additionalProperties: object({ min: NUMBER, max: NUMBER }) },
    expires_in_seconds: INTEGER,
    bonus_percent: NUMBER,
  }),
  Invoice: object(invoiceFields),
  InvoiceStatus: object({
    ...invoiceFields,
    status: oneOf(...INVOICE_STATES),
    additional_status: oneOf(...ADDITIONAL_STATUSES),
    credited_usd: NUMBER,
    uncredited_usd: {
      ...NUMBER,
      description: 'Arrived beyond what is credited without asking; it waits for the operator.',
    },
  }),
  KeySettings: object(keySettings),
  Key: object({
    id: TEXT,
    label: TEXT,
    usage_limit_usd: nullable('number'),
    usage_usd: NUMBER,
    reset_period: oneOf('none', 'daily', 'weekly', 'monthly'),
    expire_at: nullable('integer'),
    created_at: INTEGER,
    revoked_at: nullable('integer'),
  }),
  Query: object({
    timestamp: TEXT,
    model: TEXT,
    input_count: INTEGER,
    output_count: INTEGER,
    price_in_usd: NUMBER,
    query_type: TEXT,
    query_source: TEXT,
    api_key_id: nullable('string'),
    status: TEXT,
    error_code: nullable('string'),
  }),
}
