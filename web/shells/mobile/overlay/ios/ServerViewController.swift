import UIKit
import WebKit

/// Shows the page of one server. A swipe from the left edge on its first page closes it.
final class ServerViewController: UIViewController, WKNavigationDelegate, WKUIDelegate, UIGestureRecognizerDelegate {
    var onClose: (() -> Void)?

    private let origin: String
    private let start: URL
    private let push: String
    private let navigation: Navigation
    private lazy var webView = WKWebView(frame: .zero, configuration: configuration())

    /// - Parameter push: how a server reaches this app; empty: it can't
    init(origin: String, start: URL, push: String) {
        self.origin = origin
        self.start = start
        self.push = push
        navigation = Navigation(origin: origin)
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) {
        return nil
    }

    override func loadView() {
        webView.navigationDelegate = self
        webView.uiDelegate = self
        webView.allowsBackForwardNavigationGestures = true
        let swipe = UIScreenEdgePanGestureRecognizer(target: self, action: #selector(swiped(_:)))
        swipe.edges = .left
        swipe.delegate = self
        webView.addGestureRecognizer(swipe)
        view = webView
        webView.load(URLRequest(url: start))
    }

    private func configuration() -> WKWebViewConfiguration {
        let configuration = WKWebViewConfiguration()
        configuration.allowsInlineMediaPlayback = true
        configuration.mediaTypesRequiringUserActionForPlayback = []
        // Only the page of the server gets it, and not that of a provider during a sign-on.
        if !push.isEmpty, let json = try? JSONEncoder().encode(["origin": origin, "push": push]) {
            let app = String(decoding: json, as: UTF8.self)
            let source = "{ const app = \(app); if (location.origin === app.origin) window.fanfareApp = { push: app.push }; }"
            configuration.userContentController.addUserScript(
                WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: true))
        }
        return configuration
    }

    @objc private func swiped(_ swipe: UIScreenEdgePanGestureRecognizer) {
        if swipe.state == .began && !webView.canGoBack { onClose?() }
    }

    func gestureRecognizer(
        _: UIGestureRecognizer, shouldRecognizeSimultaneouslyWith _: UIGestureRecognizer
    ) -> Bool {
        true
    }

    func webView(
        _: WKWebView, decidePolicyFor action: WKNavigationAction,
        decisionHandler: @escaping (WKNavigationActionPolicy) -> Void
    ) {
        guard let url = action.request.url else { return decisionHandler(.cancel) }
        if let frame = action.targetFrame, !frame.isMainFrame { return decisionHandler(.allow) }
        let decision = action.shouldPerformDownload ? .outside : navigation.decide(url)
        if decision == .outside { UIApplication.shared.open(url) }
        decisionHandler(decision == .load ? .allow : .cancel)
    }

    /// Files are downloaded in the browser. Their URLs have the permission.
    func webView(
        _: WKWebView, decidePolicyFor response: WKNavigationResponse,
        decisionHandler: @escaping (WKNavigationResponsePolicy) -> Void
    ) {
        if response.canShowMIMEType { return decisionHandler(.allow) }
        if let url = response.response.url, url.scheme == "https" { UIApplication.shared.open(url) }
        decisionHandler(.cancel)
    }

    /// New windows open in the browser.
    func webView(
        _: WKWebView, createWebViewWith _: WKWebViewConfiguration, for action: WKNavigationAction,
        windowFeatures _: WKWindowFeatures
    ) -> WKWebView? {
        if let url = action.request.url, navigation.decide(url) != .refuse { UIApplication.shared.open(url) }
        return nil
    }

    func webView(
        _: WKWebView, requestMediaCapturePermissionFor origin: WKSecurityOrigin, initiatedByFrame _: WKFrameInfo,
        type _: WKMediaCaptureType, decisionHandler: @escaping (WKPermissionDecision) -> Void
    ) {
        let port = origin.port == 0 || origin.port == 443 ? "" : ":\(origin.port)"
        decisionHandler("\(origin.protocol)://\(origin.host)\(port)" == self.origin ? .grant : .deny)
    }
}
