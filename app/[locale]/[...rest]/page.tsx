import { notFound } from 'next/navigation'

/** Any other path: the "not found" page in the language of the path, with its policy and its status. */
export default function UnknownPage() {
  notFound()
}
