// Removes interfaces that reading a page doesn't need (browser.py).
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCIceTransport", "WebTransport",
                    "WebSocketStream", "SharedWorker", "TCPSocket", "UDPSocket", "PresentationRequest"]) {
    try { delete globalThis[name]; } catch {}
}
const idle = () => Object.assign(new Promise(() => {}), new EventTarget());
globalThis.RTCPeerConnection = globalThis.webkitRTCPeerConnection = function () {
    const methods = new Proxy({}, {get: (_, name) => name === "then" ? undefined : idle});
    return Object.setPrototypeOf({}, methods);
};
