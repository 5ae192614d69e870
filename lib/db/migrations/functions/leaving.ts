/** More than anybody merges one after the other. */
const STEP_COUNT_MAX = 100

/**
 * Where money would be by now if it had come to an account when it was asked for: the account was left for another, that
 * one later for a third. Each step is later than the one before, so the way has an end; it is at most a hundred steps
 * long, because whoever merges two credits to and fro all day would make a payment take longer than it may. Whoever
 * still has an account that was left can merge into it or out of it as they like: the first time after the payment was
 * asked for decides. What nobody asked for, as a gift of the operator's, goes the last way (`p_asked_at` is null).
 */
export const LEADS_TO = `
create or replace function leads_to(p_account_id uuid, p_asked_at timestamptz) returns uuid language plpgsql stable as $$
declare
  v_account_id uuid := p_account_id;
  v_leaving leaving;
  v_step_count integer := 0;
begin
  select l.* into v_leaving from leaving l
    where l.account_id = v_account_id and (p_asked_at is null or l.left_at >= p_asked_at)
    order by case when p_asked_at is null then -l.id else l.id end limit 1;
  while v_leaving.id is not null and v_step_count < ${STEP_COUNT_MAX} loop
    v_account_id := v_leaving.for_account_id;
    v_step_count := v_step_count + 1;
    select l.* into v_leaving from leaving l
      where l.account_id = v_account_id and l.id > v_leaving.id order by l.id limit 1;
  end loop;
  return v_account_id;
end
$$`

/** What a closed credit has in place of the hash of its secret: found by a repeated merge alone. */
export const CLOSED_HASH = `
create or replace function closed_hash(p_secret_hash text) returns text language sql immutable as $$
  select encode(sha256(('closed/' || p_secret_hash)::bytea), 'hex')
$$`

/** The account that a closed one ended for; null if it is open. */
export const CLOSED_FOR = `
create or replace function closed_for(p_account_id uuid) returns uuid language sql stable as $$
  select l.for_account_id from leaving l where l.account_id = p_account_id and l.left_at = 'infinity'
$$`

/**
 * Ends a credit that leaked, for the one that takes its place: its secret becomes another that nobody has, its keys and
 * its refill link end, and whatever is still paid into it is passed on for ever. Otherwise somebody who knows it could
 * pay into it and take the payment back from the other one, or have that one answer for their losses.
 */
export const CLOSE_CREDIT = `
create or replace function close_credit(p_account_id uuid, p_for_account_id uuid) returns void language plpgsql as $$
begin
  insert into leaving (account_id, for_account_id, left_at) values (p_account_id, p_for_account_id, 'infinity');
  update account a set credit_id_hash = closed_hash(a.credit_id_hash) where a.id = p_account_id;
  update api_key k set revoked_at = clock_timestamp() where k.account_id = p_account_id and k.revoked_at is null;
  delete from refill_link l where l.account_id = p_account_id;
end
$$`
