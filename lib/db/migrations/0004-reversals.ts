import type { Migration } from './migration'

/**
 * Refunds and disputes take back one total, the bonus with it, instead of each its own
 * (lib/payments/domain/invoice.ts).
 */
export const reversals: Migration = {
  name: '0004-reversals',
  statements: [
    `alter table invoice drop constraint invoice_refund_order`,
    `alter table invoice rename column refund_claimed_nano to reversal_claimed_nano`,
    `alter table invoice rename column refunded_nano to reversed_nano`,
    `alter table invoice
      add column reversal_bonus_claimed_nano bigint not null default 0,
      add column reversed_bonus_nano bigint not null default 0,
      add column reversal_count integer not null default 0`,
    `update invoice set
      reversed_bonus_nano = least(bonus_nano, floor(reversed_nano * bonus_fraction::numeric)),
      reversal_bonus_claimed_nano = least(bonus_nano, floor(reversed_nano * bonus_fraction::numeric))
      where reversed_nano > 0`,
    `update invoice set
      reversed_nano = least(credited_nano, reversed_nano + disputed_nano),
      reversal_claimed_nano = least(credited_nano, reversed_nano + disputed_nano)
      from (
        select invoice_id, sum(amount_nano)::bigint as disputed_nano from invoice_dispute
          where taken_nano is not null and not closed group by invoice_id
      ) dispute
      where dispute.invoice_id = invoice.id`,
    `alter table invoice_dispute drop column taken_nano, drop column closed`,
    `alter table invoice add constraint invoice_reversal_order check (
      refund_seen_nano >= 0
      and reversed_nano >= 0 and reversed_nano <= credited_nano
      and reversal_claimed_nano >= 0 and reversal_claimed_nano <= credited_nano
      and reversed_bonus_nano >= 0 and reversed_bonus_nano <= bonus_nano
      and reversal_bonus_claimed_nano >= 0 and reversal_bonus_claimed_nano <= bonus_nano
    )`,
  ],
}
