import { NANO_MAX } from '@/lib/money/nano'

/**
 * Moves what one account has available into a person's credit, once per pair and reference. The account is
 * named by its credit_id, or by a key where no credit_id exists for it, as an earlier version left some: a
 * key of a credit that somebody holds only spends. So does a key with a limit.
 *
 * Both accounts are locked in ascending order, as in place_holds and resolve_holds: two merges in opposite
 * directions wait for each other instead of deadlocking. What is held stays, for the answers that are being
 * written. Only nano-dollars that moved leave a transfer; with nothing available the reference stays free.
 */
export const MERGE_INTO_CREDIT = `
create or replace function merge_into_credit(
  p_from_kind text, p_from_secret_hash text, p_into_credit_id_hash text, p_reference text,
  out outcome text, out moved_nano bigint, out balance_nano bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  v_from_id uuid;
  v_from_is_whole boolean;
  v_into_id uuid;
  v_reference text;
begin
  if p_from_kind = 'credit_id' then
    select a.id, true into v_from_id, v_from_is_whole
      from account a where a.credit_id_hash = p_from_secret_hash;
  else
    select a.id, a.credit_id_hash is null and k.usage_limit_nano is null into v_from_id, v_from_is_whole
      from api_key k join account a on a.id = k.account_id
      where k.secret_hash = p_from_secret_hash
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp());
  end if;
  select a.id into v_into_id from account a where a.credit_id_hash = p_into_credit_id_hash;
  if v_from_id is null or v_into_id is null then
    outcome := 'unknown_credential';
    return;
  end if;
  if v_from_id = v_into_id then
    outcome := 'same_account';
    return;
  end if;
  -- Nothing gives an account a credit_id later, so this needs no lock.
  if not v_from_is_whole then
    outcome := 'key_only_spends';
    return;
  end if;

  perform from account a where a.id in (v_from_id, v_into_id) order by a.id for update;
  -- Read under the locks: whoever came first has moved what was there.
  v_reference := 'merge/' || v_from_id || '/' || v_into_id || '/' || p_reference;
  select t.amount_nano into moved_nano from transfer t where t.reference = v_reference and t.leg = 0;
  if found then
    outcome := 'already_merged';
    select a.balance_nano into balance_nano from account a where a.id = v_into_id;
    return;
  end if;

  select least(a.balance_nano - a.held_nano, ${NANO_MAX}) into moved_nano from account a where a.id = v_from_id;
  if moved_nano > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values (v_reference, 0, v_from_id, v_into_id, moved_nano, 'merge', '{}');
    update account a set balance_nano = a.balance_nano - moved_nano where a.id = v_from_id;
  end if;
  update account a set balance_nano = a.balance_nano + moved_nano
    where a.id = v_into_id
    returning a.balance_nano into balance_nano;
  outcome := 'merged';
end
$$`
