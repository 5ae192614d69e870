/**
 * Removes accounts that were opened for a payment that never came, with their key and their invoices, and says
 * how many went. One that money, a hold or a payment has touched stays for good, as does one that may be paid on
 * the chain, weeks late. One whose invoice may still be paid, as far as its gateway has told, is looked at again
 * after an hour, until the gateway is asked no more: a wallet that forgets what was not paid never tells. Whoever
 * asks for the last time notes so before the answer is there, which may be that it was paid: the hour is for that.
 *
 * The account's lock keeps holds away meanwhile, those of the invoices what is being written of a payment.
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
