/** The link to the Perfetto UI, which draws the timeline of the trace that this server holds. */

/** The port on which the Perfetto UI looks for a server by itself. */
const KNOWN_PORT = '9001';
const ADDRESS = 'https://ui.perfetto.dev/';

/** The address that opens the Perfetto UI on the server of a port. */
export function perfettoAddress(port: string): string {
  return port === KNOWN_PORT ? ADDRESS : `${ADDRESS}#!/?rpc_port=${port}`;
}

/** What a user has to know before following the link. */
export function perfettoHint(port: string): string {
  return port === KNOWN_PORT
    ? 'Opens ui.perfetto.dev, which connects to this server. The trace stays on this machine.'
    : `Opens ui.perfetto.dev on port ${port} of this machine. For a port other than ${KNOWN_PORT}, its flag cspAllowAnyWebsocketPort must be on.`;
}
