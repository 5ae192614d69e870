export default function ChatPage() {
  return <h1>Tuppence</h1>
}
