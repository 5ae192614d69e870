/**
 * Removes accounts that were created for a payment that never came, with their key and their invoices, and returns how
 * many. An account that money, a hold or a payment has touched is kept forever, as is one that may be paid on chain,
 * weeks late. If an invoice can still be paid, as far as its gateway has reported, it is checked again after an hour,
 * until the gateway is no longer asked: a wallet that forgets unpaid invoices never reports their end. The last check
 * is recorded before its answer arrives, and that answer may be that it was paid, which is what the hour is for.
 *
 * Meanwhile the account's lock keeps holds away, and the locks of the invoices keep away payments that are being
 * recorded.
 */
export const REMOVE_UNPAID_ACCOUNTS = `
create or replace function remove_unpaid_accounts(p_count integer) returns integer language plpgsql as $$
declare
  v_account account;
  v_count integer := 0;
begin
  for v_account in
    select a.* from account a where a.remove_unpaid_at <= now()
    order by a.remove_unpaid_at limit p_count for update skip locked
  loop
    perform from invoice i where i.account_id = v_account.id for update;
    if (v_account.balance_nano, v_account.held_nano, v_account.debt_nano, v_account.merged_nano) <> (0, 0, 0, 0)
      or v_account.merge_group_id is not null or v_account.charged_nano > 0
      or exists (select from hold h where h.account_id = v_account.id and h.state <> 'open')
      or exists (select from hold h where h.account_id = v_account.id and h.state = 'open')
      or exists (select from invoice i where i.account_id = v_account.id and (i.paid_nano > 0 or i.method <> 'btc-lightning'))
    then
      update account a set remove_unpaid_at = null where a.id = v_account.id;
    elsif exists (
      select from invoice i
      where i.account_id = v_account.id and (i.state not in ('Expired', 'Invalid')
          and (i.next_check_at is not null or i.checked_at > now() - interval '1 hour')
        or exists (select from invoice_payment p where p.invoice_id = i.id))
    ) then
      update account a set remove_unpaid_at = now() + interval '1 hour' where a.id = v_account.id;
    else
      delete from invoice i where i.account_id = v_account.id;
      delete from api_key k where k.account_id = v_account.id;
      delete from account a where a.id = v_account.id;
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end
$$`
