"""Inventory: what there is of each article."""
import os
import signal
import threading

from flask import Flask

from stock import stock
from reports import ReportView


def create_app():
    app = Flask(__name__)
    app.register_blueprint(stock, url_prefix="/stock")
    app.add_url_rule("/reports/<int:day>", view_func=ReportView.as_view("report"))

    @app.route("/health")
    def health():
        return {"ok": True}

    return app


def main():
    import telemetry
    from werkzeug.serving import make_server

    app = create_app()
    stop = telemetry.start(app)
    server = make_server("127.0.0.1", int(os.environ.get("PORT", "0")), app, threaded=True)

    # A request's span ends after its answer was sent: its thread is waited for,
    # and only then are the spans sent.
    server.daemon_threads = False

    def end(_signal, _frame):
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, end)
    print(f"listening {server.server_port}", flush=True)
    server.serve_forever()
    server.server_close()
    stop()


if __name__ == "__main__":
    main()
