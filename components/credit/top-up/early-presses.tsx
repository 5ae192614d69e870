import { headers } from 'next/headers'

/**
 * Keeps what is pressed in a form before the page's own scripts run, in the order in which it was pressed; the form
 * replays it (payment-form.tsx). Listens to forms that ask for it, and until they say that they are alive.
 */
const SCRIPT = `addEventListener("click",e=>{let b=e.target.closest("form[data-early] button"),f=b&&b.form;if(f&&f.early!==null)(f.early??=[]).push(b)},true);addEventListener("submit",e=>{let f=e.target;if(f.matches("[data-early]")&&f.early!==null)e.preventDefault()},true)`

/** Rendered by the server, before the form. */
export async function EarlyPresses() {
  const nonce = (await headers()).get('x-nonce') ?? undefined
  return (
    // Browsers hide the nonce, a difference that hydration must ignore.
    <script nonce={nonce} suppressHydrationWarning>
      {SCRIPT}
    </script>
  )
}
