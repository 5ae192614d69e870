import { PAYMENT_NAMES } from './functions/payment-names'
import type { Migration } from './migration'

/** An invoice's gateway and method are checked against the program's own lists (lib/payments/domain). */
export const paymentNames: Migration = {
  name: '0002-payment-names',
  statements: [
    ...PAYMENT_NAMES.map(({ text }) => text),
    `alter table invoice
      drop constraint invoice_gateway_check,
      drop constraint invoice_method_check,
      add constraint invoice_gateway_check check (is_gateway(gateway)),
      add constraint invoice_method_check check (is_payment_method(method))`,
  ],
}
