/**
 * Takes credited money back, once per reference: what is available from the person, the rest from the
 * operator's loss. Parallel deliveries meet at the account's row lock. Leg 0 is always written, so the
 * reference is taken even when nothing was available.
 */
export const REVERSE_CREDIT = `
create or replace function reverse_credit(
  p_account_id uuid, p_source_account_id uuid, p_amount_nano bigint, p_reference text, p_memo jsonb,
  out outcome text, out taken_nano bigint, out loss_nano bigint, out balance_nano bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  v_reference text := 'reversal/' || p_reference;
  v_available bigint;
begin
  select a.balance_nano - a.held_nano, a.balance_nano into v_available, balance_nano
    from account a where a.id = p_account_id and a.kind = 'credit' for update;
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  select coalesce(sum(t.amount_nano) filter (where t.kind = 'reversal'), 0)::bigint,
      coalesce(sum(t.amount_nano) filter (where t.kind = 'loss'), 0)::bigint
    into taken_nano, loss_nano
    from transfer t where t.reference = v_reference;
  if taken_nano + loss_nano > 0 then
    outcome := 'already_reversed';
    return;
  end if;

  taken_nano := least(p_amount_nano, v_available);
  loss_nano := p_amount_nano - taken_nano;
  if taken_nano > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (v_reference, 0, p_account_id, p_source_account_id, taken_nano, 'reversal', p_memo);
    update account a set balance_nano = a.balance_nano - taken_nano
      where a.id = p_account_id
      returning a.balance_nano into balance_nano;
  end if;
  if loss_nano > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (v_reference, case when taken_nano > 0 then 1 else 0 end,
        '00000000-0000-4000-8000-000000000005', p_source_account_id, loss_nano, 'loss', p_memo);
  end if;
  outcome := 'reversed';
end
$$`
