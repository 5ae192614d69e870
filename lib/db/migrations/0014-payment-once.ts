import type { Migration } from './migration'

/**
 * A gateway's payment belongs to one invoice, whatever is told of others. Where two had the same before, the older one
 * keeps it. The total of a server that lists no payments ('total') has no gateway, so that any invoice can have one.
 */
export const paymentOnce: Migration = {
  name: '0014-payment-once',
  statements: [
    `alter table invoice_payment add column gateway text`,
    `update invoice_payment p set gateway = owner.gateway
      from (
        select distinct on (i.gateway, o.payment_id) i.gateway, o.payment_id, o.invoice_id
        from invoice_payment o join invoice i on i.id = o.invoice_id
        where o.payment_id <> 'total'
        order by i.gateway, o.payment_id, i.created_at, i.id
      ) owner
      where owner.invoice_id = p.invoice_id and owner.payment_id = p.payment_id`,
    `create unique index invoice_payment_once on invoice_payment (gateway, payment_id)`,
  ],
}
