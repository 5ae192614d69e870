/**
 * The request side of BTCPay Server's documentation (`swagger.template.invoices.json`): the properties of
 * `CreateInvoiceRequest` and `CheckoutOptions` (`additionalProperties: false`), and their types.
 */

type Kind = 'string' | 'number' | 'boolean' | 'strings' | 'object'

const CREATE_INVOICE_REQUEST: Record<string, Kind> = {
  amount: 'string',
  currency: 'string',
  additionalSearchTerms: 'strings',
  metadata: 'object',
  checkout: 'object',
  receipt: 'object',
}

const CHECKOUT_OPTIONS: Record<string, Kind> = {
  speedPolicy: 'string',
  paymentMethods: 'strings',
  defaultPaymentMethod: 'string',
  lazyPaymentMethods: 'boolean',
  expirationMinutes: 'number',
  monitoringMinutes: 'number',
  paymentTolerance: 'number',
  redirectURL: 'string',
  redirectAutomatically: 'boolean',
  defaultLanguage: 'string',
}

/** `ValidationProblemDetails` */
export type ValidationProblem = { path: string; message: string }

export interface CreateInvoiceRequest {
  amount: string
  currency: string
  metadata: Record<string, unknown>
  checkout: {
    paymentMethods: string[]
    expirationMinutes: number
    monitoringMinutes: number
    redirectURL: string | null
  }
}

export function readCreateInvoiceRequest(
  body: unknown,
  enabledPaymentMethods: readonly string[],
): { problems: ValidationProblem[] } | { problems: null; request: CreateInvoiceRequest } {
  const root = asRecord(body)
  if (!root) return { problems: [{ path: '', message: 'expected an object' }] }
  const checkout = asRecord(root.checkout) ?? {}
  const names = strings(checkout.paymentMethods) ?? [...enabledPaymentMethods]
  const problems = [
    ...checkProperties('', root, CREATE_INVOICE_REQUEST),
    ...checkProperties('checkout.', checkout, CHECKOUT_OPTIONS),
    ...names.filter(name => !enabledPaymentMethods.includes(name)).map(invalidPaymentMethod),
  ]
  if (!/^\d+(\.\d+)?$/.test(String(root.amount)))
    problems.push({ path: 'amount', message: 'The amount is not a decimal.' })
  if (problems.length > 0) return { problems }
  return {
    problems: null,
    request: {
      amount: String(root.amount),
      currency: String(root.currency ?? 'USD'),
      metadata: asRecord(root.metadata) ?? {},
      checkout: {
        paymentMethods: names,
        expirationMinutes: Number(checkout.expirationMinutes ?? 15),
        monitoringMinutes: Number(checkout.monitoringMinutes ?? 1440),
        redirectURL: checkout.redirectURL === undefined ? null : String(checkout.redirectURL),
      },
    },
  }
}

function invalidPaymentMethod(name: string): ValidationProblem {
  return { path: 'checkout.paymentMethods', message: `Invalid PaymentMethodId (${name})` }
}

function checkProperties(
  path: string,
  record: Record<string, unknown>,
  kinds: Record<string, Kind>,
): ValidationProblem[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const kind = kinds[name]
    if (!kind) return [{ path: path + name, message: 'no such property' }]
    return value === null || isKind(value, kind) ? [] : [{ path: path + name, message: `expected ${kind}` }]
  })
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'strings') return strings(value) !== null
  if (kind === 'object') return asRecord(value) !== null
  // Decimals are strings of format "decimal"; the server also accepts numbers.
  return typeof value === kind || (kind === 'string' && typeof value === 'number')
}

function strings(value: unknown): string[] | null {
  return Array.isArray(value) && value.every(each => typeof each === 'string') ? value : null
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null
}
