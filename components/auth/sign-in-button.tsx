'use client'

import { Link } from '@/lib/i18n/navigation'
import styles from './auth.module.css'
import { useSession } from './use-auth'

interface SignInButtonProps {
  /** Given by the server, so that pages without a sign-in form need none of its messages. */
  labels: { signIn: string; account: string }
}

/** The header's way to the account page. Leads to the page, where the forms are, with and without JavaScript. */
export function SignInButton({ labels }: SignInButtonProps) {
  const { user, loading } = useSession()
  return (
    <Link href="/account" className={styles.link} aria-busy={loading || undefined}>
      {user || loading ? labels.account : labels.signIn}
    </Link>
  )
}
