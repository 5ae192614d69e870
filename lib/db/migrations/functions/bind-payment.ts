import { UNLISTED_PAYMENT_ID } from '@/lib/payments/domain/gateway'

/**
 * The gateway of a payment is its invoice's, so that the unique index gives it to one invoice. The database sees to it,
 * because a server of an older version that still runs records payments, too, and knows nothing of it. A total, which
 * any invoice can have, has none.
 */
export const BIND_PAYMENT = `
create or replace function bind_payment() returns trigger language plpgsql as $$
begin
  select i.gateway into new.gateway from invoice i where i.id = new.invoice_id;
  return new;
end
$$`

export const PAYMENT_IS_BOUND = `
create or replace trigger payment_is_bound before insert on invoice_payment
  for each row when (new.payment_id <> '${UNLISTED_PAYMENT_ID}') execute function bind_payment()`
